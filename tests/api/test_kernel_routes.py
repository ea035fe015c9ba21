"""The notebook's routes as the page meets them: over HTTP, on the whole app."""

import json
import secrets
import time

import httpx
import pytest

from services.catalog import Query, open_catalog
from services.settings import Settings
from tests.served_app import served_app

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with served_app({"KERNEL_MAX": "4"}, tmp_path_factory.mktemp("cache")) as (url, _):
        yield url


@pytest.fixture(scope="module")
def http(url):
    with httpx.Client(base_url=url, timeout=60) as client:
        yield client


@pytest.fixture
def token():
    return secrets.token_hex(24)


@pytest.fixture(scope="module")
def task_id(tmp_path_factory):
    settings = Settings(tasks_source="bundled", cache_dir=tmp_path_factory.mktemp("catalog"))
    return open_catalog(settings).search(Query(file_type="csv")).rows[0].task_id


def events_of(answer):
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.content.splitlines()]


def printed(events):
    outputs = (event["output"] for event in events if event["event"] == "output")
    return "".join(output.get("text", "") for output in outputs)


def cell(token, task_id, code):
    return {"token": token, "task_id": task_id, "cell_id": "c1", "code": code}


def test_a_cell_streams_as_it_runs_and_replays_from_any_event(http, token, task_id):
    code = "import os, time\nprint(os.listdir('../input'), flush=True)\ntime.sleep(1)\nprint('end')\n6 * 7"
    at, lines = {}, []
    with http.stream("POST", "kernel/run", json=cell(token, task_id, code)) as answer:
        assert answer.headers["content-type"] == "application/x-ndjson"
        assert (answer.headers["cache-control"], answer.headers["x-accel-buffering"]) == ("no-store", "no")
        run_id = answer.headers["x-run-id"]
        for line in answer.iter_lines():
            lines.append(json.loads(line))
            at[lines[-1]["event"], printed(lines)] = time.monotonic()
    first, *_, last = sorted(at.values())
    assert last - first > 0.9
    assert ".csv" in printed(lines) and printed(lines).endswith("end\n")
    assert [event["seq"] for event in lines] == sorted({event["seq"] for event in lines})
    assert (lines[-1]["event"], lines[-1]["status"]) == ("done", "ok")
    for after in (-1, lines[2]["seq"], lines[-2]["seq"]):
        again = events_of(http.post("kernel/events", json={"token": token, "run_id": run_id, "after": after}))
        assert again == [event for event in lines if event["seq"] > after]
    status = http.post("kernel/status", json={"token": token}).json()
    assert status["state"] == "idle"
    assert status["task_id"] == task_id
    assert status["runs"] == [{"run_id": run_id, "cell_id": "c1", "done": True}]


def test_a_page_that_is_reloaded_finds_its_run_and_stops_it(http, token, task_id):
    with http.stream(
        "POST", "kernel/run", json=cell(token, task_id, "x = 1; print('on', flush=True)\nwhile True: x += 1")
    ) as answer:
        run_id = answer.headers["x-run-id"]
        next(line for line in answer.iter_lines() if '"text":"on' in line)
    assert http.post("kernel/status", json={"token": token}).json()["state"] == "busy"
    assert http.post("kernel/stop", json={"token": token}).json() == {"message": "Stopped. Variables are kept."}
    events = events_of(http.post("kernel/events", json={"token": token, "run_id": run_id, "after": -1}))
    assert events[-1]["status"] == "stopped"
    assert printed(events_of(http.post("kernel/run", json=cell(token, task_id, "print(x > 1)")))) == "True\n"


def test_a_question_is_answered_over_its_route(http, token, task_id):
    ask = cell(token, task_id, "print('hello', input('who? '))")
    with http.stream("POST", "kernel/run", json=ask) as answer:
        run_id, lines = answer.headers["x-run-id"], answer.iter_lines()
        question = next(event for event in map(json.loads, lines) if event["event"] == "input_request")
        given = {"token": token, "run_id": run_id, "text": "Ada"}
        stranger = http.post("kernel/input", json=given | {"token": secrets.token_hex(24)})
        assert http.post("kernel/input", json=given).status_code == 200
        again = http.post("kernel/input", json=given)
        rest = [json.loads(line) for line in lines]
    assert (question["prompt"], question["password"]) == ("who? ", False)
    assert (stranger.status_code, again.status_code) == (409, 409)
    assert again.json()["detail"] == "The cell does not wait for an answer any more."
    assert rest[0]["event"] == "input_ended"
    assert printed(rest) == "who? Ada\nhello Ada\n"


def test_completion_and_inspection_count_code_points(http, token, task_id):
    def ask(what, code, cursor, **more):
        place = {"token": token, "task_id": task_id, "code": code, "cursor": cursor} | more
        return http.post(f"kernel/{what}", json=place)

    code = "'\U0001f984'; sepal_"
    nobody = ask("complete", code, len(code)).json()
    events_of(http.post("kernel/run", json=cell(token, task_id, "sepal_length = 1\ndef area(w): 'Of a leaf.'")))
    assert nobody == {"start": len(code), "end": len(code), "matches": None}
    found = ask("complete", code, len(code)).json()
    assert (found["start"], found["end"]) == (5, 11)
    assert [text for text, _ in found["matches"]] == ["sepal_length"]
    assert "Of a leaf." in ask("inspect", "area", 2).json()["text"]
    assert ask("inspect", "area", 2, token=secrets.token_hex(24)).json() == {"text": ""}
    for cursor in (-1, "1.5", None):
        assert ask("complete", code, cursor).status_code == 400
    # past the end of the code
    assert ask("complete", "sepal_", 10**9).status_code == 200


def test_restart_forgets_variables_and_keeps_files(http, token, task_id):
    events_of(http.post("kernel/run", json=cell(token, task_id, "x = 1; open('kept.txt', 'w').write('kept')")))
    assert "files are kept" in http.post("kernel/restart", json={"token": token}).json()["message"]
    code = "print('x' in globals(), open('kept.txt').read())"
    text = printed(events_of(http.post("kernel/run", json=cell(token, task_id, code))))
    assert text == "False kept\n"


def test_the_answer_file_is_the_tasks_own_and_a_plain_file(http, token, task_id):
    def answer():
        return http.post("kernel/answer", json={"token": token, "task_id": task_id}).json()

    def run(code):
        events_of(http.post("kernel/run", json=cell(token, task_id, code)))

    assert answer()["found"] is False
    run("open('answer.txt', 'w').write(' 0.25\\n')")
    assert answer() == {"found": True, "text": "0.25", "message": ""}
    other = http.post("kernel/answer", json={"token": token, "task_id": "another"}).json()
    assert (other["found"], other["text"]) == (False, "")
    run("import os; os.remove('answer.txt'); os.mkdir('answer.txt')")
    no_file = answer()
    assert (no_file["found"], no_file["text"]) == (False, "")
    assert "not a plain file" in no_file["message"]


def test_visitors_reach_only_their_own_runs(http, token, task_id):
    with http.stream("POST", "kernel/run", json=cell(token, task_id, "print('mine')")) as answer:
        run_id = answer.headers["x-run-id"]
        answer.read()
    stranger = http.post("kernel/events", json={"token": secrets.token_hex(24), "run_id": run_id, "after": -1})
    assert stranger.status_code == 404
    assert "mine" not in stranger.text
    assert http.post("kernel/stop", json={"token": secrets.token_hex(24)}).json() == {"message": "Nothing is running."}


@pytest.mark.parametrize(
    "route", ["run", "events", "status", "stop", "restart", "answer", "input", "complete", "inspect"]
)
def test_every_route_answers_only_the_apps_own_page(http, url, token, route):
    def status(headers, body=b"{}"):
        return http.post(f"kernel/{route}", content=body, headers=headers).status_code

    own = url.removesuffix("/")
    assert status({}) == 415
    assert status({"Content-Type": "text/plain"}) == 415
    assert status({"Content-Type": "application/x-www-form-urlencoded"}) == 415
    for origin in ("http://evil.example", "null", "http://localhost", "http://[", own + ".evil.example"):
        assert status(JSON | {"Origin": origin}) == 403, origin
    for host in ("evil.example", "127.0.0.1.evil.example", "[::1", ""):
        assert status(JSON | {"Host": host}) == 403, host
    # through the guards, the empty object is not a request
    assert status(JSON | {"Origin": own}) == 400
    assert status(JSON | {"Host": "localhost:7860"}) == 400


@pytest.mark.parametrize(
    "bad",
    ["", "a" * 47, "a" * 49, "A" * 48, "g" * 48, "a" * 48 + "\n", "../" * 16, None, 7, ["a" * 48]],
)
def test_a_token_is_48_hexadecimal_digits(http, task_id, bad):
    for route, more in (("run", {"task_id": task_id, "cell_id": "c", "code": "1"}), ("status", {}), ("stop", {})):
        answer = http.post(f"kernel/{route}", json={"token": bad} | more)
        assert answer.status_code == 400
        assert answer.json()["detail"].startswith("token can't be used")


def test_what_is_no_request_is_said_in_a_sentence(http, token, task_id):
    unknown = http.post("kernel/run", json=cell(token, "no such task", "1"))
    assert unknown.status_code == 404
    assert "no such task" in unknown.json()["detail"]
    large = http.post("kernel/run", json=cell(token, task_id, "x" * 2_000_000))
    assert large.status_code == 413
    assert large.json()["detail"] == "A cell can hold 2 MB. Read larger data from a file."
    for body in (b"", b"[]", b"{", b"\xff", b'{"token": "\\ud800"}', b"[" * 100_000):
        assert http.post("kernel/stop", content=body, headers=JSON).status_code == 400, body[:20]
    assert http.post("kernel/events", json={"token": token, "run_id": "none", "after": -2}).status_code == 400


def test_code_of_any_letters_comes_back_unchanged(http, token, task_id):
    text = "<img onerror=alert(1)> ${x} {{y}} \u2028 \U0001f984 \\n"
    events = events_of(http.post("kernel/run", json=cell(token, task_id, f"print({text!r})")))
    assert printed(events) == text + "\n"


def test_in_a_space_a_visitor_counts_by_the_address_its_proxy_saw(task_id, tmp_path):
    settings = {"SPACE_ID": "owner/name", "KERNEL_PER_ADDRESS": "1", "KERNEL_WAITING": "1"}
    with served_app(settings, tmp_path) as (url, _), httpx.Client(base_url=url, timeout=60) as http:

        def run(token, forwarded):
            answer = http.post(
                "kernel/run", json=cell(token, task_id, "print('ran')"), headers={"X-Forwarded-For": forwarded}
            )
            return printed(events_of(answer))

        def message(token):
            return http.post("kernel/status", json={"token": token}).json()["message"]

        one, two, other = (secrets.token_hex(24) for _ in range(3))
        assert run(one, "9.9.9.9, 10.0.0.1") == "ran\n"
        assert run(other, "9.9.9.9, 8.8.4.4, 10.0.0.1") == "ran\n"
        assert message(one) == ""
        assert run(two, "1.1.1.1, 9.9.9.9, 10.0.0.1") == "ran\n"
        assert "your network address started another and may have 1 at once" in message(one)
        assert message(other) == ""


def test_a_cell_that_ignores_stop_is_ended_only_when_told(http, token, task_id):
    code = "import time; print('on', flush=True)\nwhile True:\n    try: time.sleep(9)\n    except BaseException: pass"
    with http.stream("POST", "kernel/run", json=cell(token, task_id, code)) as answer:
        next(line for line in answer.iter_lines() if '"text":"on' in line)
    stopped = http.post("kernel/stop", json={"token": token}).json()
    assert stopped["offer"] is True and "The cell goes on" in stopped["message"]
    assert http.post("kernel/status", json={"token": token}).json()["offer"] is True
    ended = http.post("kernel/stop", json={"token": token, "end": True}).json()
    assert ended == {"message": "Kernel ended. Variables are gone; your cells, outputs and files are kept."}
    assert http.post("kernel/status", json={"token": token}).json()["state"] == "none"
