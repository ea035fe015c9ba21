"""Files come from a Hub once, whole, checked and shared, and a broken download goes on where it stopped."""

import contextlib
import os
import socket
import threading
import time
from email.utils import formatdate

import pytest

from services.catalog.source import Source
from services.datafiles import Corrupt, DataFiles, NoRoom, NotFound, Offline, StillComing, Stopped, TimedOut
from services.datafiles.cache import IN_USE_SECONDS
from services.datafiles.connection import wait_asked
from tests.hub_files import BUCKET, PREFIX, on_hub, task
from tests.loopback_hub import Fault, LoopbackHub, refusing_hub

BIG = os.urandom(3_000_000)
ODD = "odd ;$(x)'é #?%41.csv"


@pytest.fixture
def hub(tmp_path):
    contents = {"a.csv": b"a\n1\n", ODD: b"x\n", "sub/a.csv": b"a\n22\n", "empty.csv": b"", "big.csv": BIG}
    with on_hub(tmp_path, contents | {"../owner__slug-more/b.csv": b"b\n"}, page=2) as found:
        yield found


def until(condition):
    """Wait for a condition that must come true in time."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.02)


def test_a_file_comes_once_and_without_this_machine_s_token(hub, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    files = hub.files()
    for _ in range(2):
        assert files.open(task(ODD), ODD).read_text() == "x\n"
    assert hub.files().list(task(ODD))[0].size == 2
    assert hub.asked("/resolve/") == 1
    assert f"/buckets/{BUCKET}/resolve/{PREFIX}/{ODD}" in [path for _, path, _ in hub.hub.requests]
    assert not any({"authorization", "cookie"} & headers.keys() for _, _, headers in hub.hub.requests)


def test_sizes_are_known_before_anything_is_fetched_and_the_neighbour_s_files_are_not_listed(hub):
    found = hub.files().list(task())
    assert [(file.name, file.size, file.state) for file in found] == [
        ("a.csv", 4, "on the Hub"),
        ("big.csv", 3_000_000, "on the Hub"),
        ("empty.csv", 0, "on the Hub"),
        (ODD, 2, "on the Hub"),
        ("sub/a.csv", 5, "on the Hub"),
    ]
    assert hub.asked("/tree/") == 3  # two a page
    named = hub.files().list(task("gone.csv", "a.csv", "a.csv"))
    assert [(file.name, file.state) for file in named] == [("gone.csv", "missing"), ("a.csv", "on the Hub")]
    assert hub.files().unnamed(task("a.csv")) == ["big.csv", "empty.csv", ODD, "sub/a.csv"]


def test_what_can_be_had_comes_and_the_rest_says_why(hub):
    found = hub.files().inputs(task("a.csv", "gone.csv", "sub/a.csv", "empty.csv"))
    assert found["sub__a.csv"].read_text() == "a\n22\n"
    assert (found["a.csv"].read_text(), found["empty.csv"].read_bytes()) == ("a\n1\n", b"")
    assert type(found["gone.csv"]) is NotFound


@pytest.mark.parametrize("silent_on", ["/tree/", "/resolve/"])
def test_a_silent_hub_holds_up_all_files_together_once(hub, monkeypatch, silent_on):
    hub.files().open(task("a.csv"), "a.csv")
    many = task("a.csv", *(f"{number}.csv" for number in range(12)))
    for number in range(12):
        (hub.folder / f"{number}.csv").write_text("n\n")
    next((hub.cache / "files" / "lists").iterdir()).unlink()
    if silent_on == "/resolve/":
        hub.files().list(many)
    asked = hub.asked(silent_on)
    monkeypatch.setattr("services.datafiles.listing.LIST_SECONDS", 0.5)
    hub.hub.faults.append(Fault(silent_on, silent=True))
    found = hub.files(1.0).inputs(many)
    assert {type(found[f"{number}.csv"]) for number in range(12)} == {TimedOut}
    assert hub.asked(silent_on) - asked <= 4  # at once: of the list one, of files as many as come together
    if silent_on == "/resolve/":
        assert found["a.csv"].read_text() == "a\n1\n"


def test_eight_who_want_one_file_share_one_download_and_all_see_it_come(hub):
    hub.hub.faults.append(Fault("big.csv", drip=2_000_000))
    files, seen, outcomes = hub.files(20), [set() for _ in range(8)], []

    def want(number):
        path = files.open(task("big.csv"), "big.csv", progress=lambda *state: seen[number].add(state))
        outcomes.append(path.read_bytes() == BIG)

    threads = [threading.Thread(target=want, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [True] * 8
    assert hub.asked("/resolve/") == 1
    assert all(any(0 < done < 3_000_000 == total for _, done, total in each) for each in seen)


@pytest.mark.long
def test_eight_visitors_of_200_mb_share_one_download(tmp_path):
    content = os.urandom(200_000_000)
    with on_hub(tmp_path, {"large.bin": content}) as hub:
        hub.hub.faults.append(Fault("/resolve/", drip=60_000_000))
        files, seen, outcomes = hub.files(60), [set() for _ in range(8)], []

        def want(number):
            path = files.open(task("large.bin"), "large.bin", progress=lambda *state: seen[number].add(state))
            outcomes.append(path.stat().st_size)

        threads = [threading.Thread(target=want, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outcomes == [200_000_000] * 8
        assert (hub.asked("/resolve/"), hub.whole() == [content]) == (1, True)
        assert all(len(each) > 3 for each in seen)


def test_a_crowd_in_two_apps_on_one_folder_shares_one_download(hub):
    hub.hub.faults.append(Fault("big.csv", drip=4_000_000))
    apps, outcomes = [hub.files(60), hub.files(60)], []
    threads = [
        threading.Thread(target=lambda app=app: outcomes.append(app.open(task("big.csv"), "big.csv")))
        for app in 100 * apps
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [outcomes[0]] * 200
    assert outcomes[0].read_bytes() == BIG
    assert hub.asked("/resolve/") == 1


def test_a_broken_download_goes_on_where_it_stopped(hub):
    hub.hub.faults.append(Fault("big.csv", cut=2_000_000, times=1))
    assert hub.files().open(task("big.csv"), "big.csv").read_bytes() == BIG
    ranges = [headers.get("range") for _, path, headers in hub.hub.requests if "/resolve/" in path]
    assert ranges == [None, "bytes=2000000-"]


def test_what_came_before_the_deadline_is_kept_for_the_next_try(hub):
    hub.hub.faults.append(Fault("big.csv", drip=300_000, times=1))
    start = time.monotonic()
    with pytest.raises(TimedOut, match=r"within 3 seconds\. \d\.\d MB of it are kept; the next try goes on\."):
        hub.files(3.0).open(task("big.csv"), "big.csv")
    assert time.monotonic() - start < 9  # whole, it would have taken ten
    [size] = hub.parts()
    assert (0 < size < 3_000_000, hub.whole()) == (True, [])
    assert hub.files().open(task("big.csv"), "big.csv").read_bytes() == BIG
    assert (hub.hub.requests[-1][2]["range"], hub.parts()) == (f"bytes={size}-", [])


def test_a_wrong_part_is_thrown_away(hub):
    hub.hub.faults.append(Fault("big.csv", drip=300_000, times=1))
    with pytest.raises(TimedOut):
        hub.files(3.0).open(task("big.csv"), "big.csv")
    [part] = (hub.cache / "files" / "parts").glob("*")
    part.write_bytes(b"!" + part.read_bytes()[1:])
    assert hub.files().open(task("big.csv"), "big.csv").read_bytes() == BIG


def test_a_wait_the_hub_asks_for_is_kept_when_it_is_short(hub):
    hub.hub.faults.append(Fault("/resolve/", status=429, headers={"Retry-After": "1"}, times=1))
    start = time.monotonic()
    assert hub.files().open(task("a.csv"), "a.csv").read_text() == "a\n1\n"
    assert 1 <= time.monotonic() - start < 20


def test_the_wait_asked_for_is_a_number_or_a_date():
    assert [wait_asked({"retry-after": wait}) for wait in ("300", "", "soon")] == [300, 60, 60]
    assert abs(wait_asked({"retry-after": formatdate(time.time() + 90, usegmt=True)}) - 90) <= 2


def test_stop_keeps_what_has_come(hub, monkeypatch):
    monkeypatch.setattr("services.datafiles.hub.STOP_SECONDS", 0.3)
    hub.hub.faults.append(Fault("big.csv", drip=500_000, times=1))
    files = hub.files(20)
    with pytest.raises(StillComing):
        files.open(task("big.csv"), "big.csv", wait_seconds=2)
    [coming] = files.list(task("big.csv"))
    assert (coming.state, 0 < coming.done < coming.size) == ("coming", True)
    assert "stops, unless others want it too" in files.stop(task("big.csv"), "big.csv")
    until(lambda: files.list(task("big.csv"))[0].state != "coming")
    assert "was stopped" in files.list(task("big.csv"))[0].missing
    assert hub.parts()[0] > 0
    assert files.open(task("big.csv"), "big.csv").read_bytes() == BIG


def test_one_visitor_s_stop_is_not_another_s(hub, monkeypatch):
    monkeypatch.setattr("services.datafiles.hub.STOP_SECONDS", 0.2)
    hub.hub.faults.append(Fault("big.csv", drip=3_000_000, times=1))
    files, outcome = hub.files(20), []
    kernel = threading.Thread(target=lambda: outcome.append(files.open(task("big.csv"), "big.csv").read_bytes()))
    kernel.start()
    until(lambda: hub.asked("/resolve/"))
    assert "Others wait for big.csv too" in files.stop(task("big.csv"), "big.csv")
    kernel.join()
    assert outcome == [BIG]


def test_a_file_that_changed_is_fetched_anew_and_noted(hub):
    assert hub.files().open(task("a.csv"), "a.csv").read_text() == "a\n1\n"
    (hub.folder / "a.csv").write_text("a\n2\n")
    files = hub.files()
    files._files._listings.get(BUCKET, PREFIX, anew=True)
    [file] = files.list(task("a.csv"))
    assert (file.path, len(file.changed)) == (None, len("2026-11-30"))
    assert files.open(task("a.csv"), "a.csv").read_text() == "a\n2\n"
    assert sorted(hub.whole()) == [b"a\n1\n", b"a\n2\n"]


def test_a_file_that_changed_after_it_was_listed_comes_as_it_is_now(hub):
    files = hub.files()
    files.list(task("a.csv"))
    (hub.folder / "a.csv").write_text("other\n")
    assert files.open(task("a.csv"), "a.csv").read_text() == "other\n"
    assert hub.whole() == [b"other\n"]


def test_those_used_longest_ago_make_room_and_those_in_use_stay(hub):
    files = hub.files(max_bytes=3_000_005)
    old = [files.open(task("a.csv", "sub/a.csv"), name) for name in ("a.csv", "sub/a.csv")]
    with pytest.raises(NoRoom, match=r"all files kept are in use\. Nothing was fetched\. Try again in ten minutes"):
        files.open(task("big.csv"), "big.csv")
    past = time.time() - IN_USE_SECONDS - 60
    for age, path in zip((10, 20), old, strict=True):
        os.utime(path, (past - age, past - age))
    assert files.open(task("big.csv"), "big.csv").read_bytes() == BIG
    assert [path.exists() for path in old] == [True, False]
    use = files.cache_use()
    assert (use.files, use.bytes, use.parts) == (2, 3_000_004, 0)
    path = files.open(task("big.csv"), "big.csv")
    path.unlink()
    with pytest.raises(NoRoom, match=r"big\.csv needs 3\.0 MB, and the cache may hold 1\.0 MB"):
        hub.files(max_bytes=1_000_000).open(task("big.csv"), "big.csv")
    with pytest.raises(NoRoom, match="no room for big"):
        hub.files(floor_bytes=1 << 62).open(task("big.csv"), "big.csv")


def test_by_xet_when_plain_http_gives_another_content(hub, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    hub.hub.faults.append(Fault("/resolve/", flip=True))
    assert hub.files(60).open(task("big.csv"), "big.csv").read_bytes() == BIG
    assert (hub.asked("/cas/xorb/"), hub.parts()) == (1, [])
    assert not any("hf_secret" in str(headers) for _, _, headers in hub.hub.requests)


def test_the_operator_s_token_stays_with_the_hub(hub, tmp_path, caplog):
    with LoopbackHub(buckets={BUCKET: tmp_path / "bucket"}) as elsewhere:
        address = f"{elsewhere.url}/buckets/{BUCKET}/resolve/{PREFIX}/a.csv"
        hub.hub.faults.append(Fault("/resolve/", redirect=address))
        files = hub.files(token="hf_operator")
        assert files.open(task("a.csv"), "a.csv").read_text() == "a\n1\n"
        assert [headers.get("authorization") for _, _, headers in elsewhere.requests] == [None]
    assert {headers.get("authorization") for _, _, headers in hub.hub.requests} == {"Bearer hf_operator"}
    hub.hub.faults[:] = [Fault(status=403)]
    with pytest.raises(Exception, match="private or gated") as refused:
        files.open(task("big.csv"), "big.csv")
    assert "hf_operator" not in str(refused.value) + caplog.text + repr(files)


def test_without_a_hub_what_was_fetched_is_there(hub, monkeypatch):
    files = hub.files()
    files.open(task("a.csv"), "a.csv")
    with refusing_hub() as url:
        hub.hub.url, alive = url, hub.hub.url
        with pytest.raises(Offline, match="can't be reached"):
            hub.files().open(task("big.csv"), "big.csv")
        hub.hub.url = alive
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    offline = hub.files()
    assert offline.open(task("a.csv"), "a.csv").read_text() == "a\n1\n"
    assert [file.state for file in offline.list(task("a.csv", "big.csv"))] == ["here", "on the Hub"]
    with pytest.raises(Offline, match="set to work offline"):
        offline.open(task("big.csv"), "big.csv")


def test_a_truncated_file_in_the_cache_is_fetched_again(hub):
    path = hub.files().open(task("a.csv"), "a.csv")
    path.write_text("a")
    assert hub.files().open(task("a.csv"), "a.csv").read_text() == "a\n1\n"


def test_a_stopped_wait_is_told_to_who_still_waits(hub, monkeypatch):
    monkeypatch.setattr("services.datafiles.hub.STOP_SECONDS", 0.0)
    hub.hub.faults.append(Fault("big.csv", drip=500_000, times=1))
    files, ended = hub.files(20), []

    def poll():
        try:
            files.open(task("big.csv"), "big.csv", wait_seconds=5)
        except (Stopped, Corrupt) as error:
            ended.append(type(error))

    page = threading.Thread(target=poll)
    page.start()
    until(lambda: hub.asked("/resolve/"))
    files.stop(task("big.csv"), "big.csv")
    page.join()
    assert ended == [Stopped]


def answered_with(body):
    """A place that answers everything with this."""
    listening = socket.create_server(("127.0.0.1", 0))

    def answer():
        with contextlib.suppress(OSError):
            while True:
                caller, _ = listening.accept()
                with caller:
                    caller.recv(65536)
                    caller.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body)

    threading.Thread(target=answer, daemon=True).start()
    return listening


@pytest.mark.parametrize(
    "body",
    [
        b"null",
        b"[" * 100_000,
        b'[{"type": "file", "path": "owner__slug/a.csv", "size": 1e400, "xetHash": ""}]',
        b'[{"type": "file", "path": "owner__slug/a.csv", "size": -5, "xetHash": ""}]',
        b" " * 200_000,
    ],
    ids=["no list", "too deep", "endless size", "less than nothing", "too long"],
)
def test_a_list_that_makes_no_sense_is_a_state(tmp_path, body, monkeypatch):
    monkeypatch.setattr("services.datafiles.connection.MOST_BYTES", 150_000)
    with answered_with(body) as hub:
        url = f"http://127.0.0.1:{hub.getsockname()[1]}"
        files = DataFiles(Source("the Hub", None, "org/name", endpoint=url), tmp_path, 5)
        assert type(files.ask(task("a.csv"))) is Corrupt
        assert [file.name for file in files.list(task("a.csv"))] == ["a.csv"]


def test_a_body_packed_on_its_way_is_told_and_spoils_nothing(hub):
    hub.hub.faults.append(Fault("big.csv", drip=300_000, times=1))
    with pytest.raises(TimedOut):
        hub.files(3.0).open(task("big.csv"), "big.csv")
    [part] = hub.parts()
    hub.hub.faults[:] = [Fault("big.csv", status=206, headers={"Content-Encoding": "gzip"})]
    files = hub.files(2.9)  # too short for the second way
    with pytest.raises(Corrupt, match=r"packed it, which was not asked for.* are kept; the next try goes on"):
        files.open(task("big.csv"), "big.csv")
    assert hub.parts() == [part]
    hub.hub.faults.clear()
    assert files.open(task("big.csv"), "big.csv").read_bytes() == BIG
