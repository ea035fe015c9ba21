"""A Hub that fails in every way a network knows: the right state, in time, nothing half or wrong kept, and a retry."""

import os
import time
from dataclasses import replace

import pytest

from services.datafiles import (
    AccessDenied,
    Corrupt,
    DataFileError,
    NotFound,
    Offline,
    RateLimited,
    TimedOut,
)
from tests.hub_files import BUCKET, on_hub, task
from tests.loopback_hub import Fault, LoopbackHub

CONTENT = os.urandom(300_000)
WRONG = b"Please log in" * 30_000

FAULTS = {
    "dropped": Fault(drop=True),
    "silent": Fault(silent=True),
    "slow drip": Fault(drip=100),
    "401": Fault(status=401),
    "403 gated": Fault(status=403, headers={"X-Error-Code": "GatedRepo"}),
    "404": Fault(status=404),
    "429": Fault(status=429, headers={"Retry-After": "300"}),
    "500": Fault(status=500),
    "500 then fine": Fault(status=500, times=1),
    "truncated": Fault(cut=50),
    "one byte flipped": Fault(flip=True),
    "another origin": Fault(redirect="other"),
}
PLACES = {
    "tree": "/tree/",
    "resolve": "/resolve/",
    "paths-info": "/paths-info",
    "token": "/xet-read-token",
    "Xet": "/cas/",
}
DENIED = {"401": AccessDenied, "403 gated": AccessDenied, "404": NotFound, "429": RateLimited}
HERE = None  # the file comes all the same
# Without a list of the folder the file is asked for alone; what plain HTTP spoils comes by Xet. The client of Xet
# asks /resolve/ for its token's address, so a fault that spoils its headers too leaves no second way.
EXPECTED = {
    "tree": DENIED | dict.fromkeys(FAULTS.keys() - DENIED.keys(), HERE),
    "resolve": DENIED
    | {"500": Offline, "500 then fine": HERE, "dropped": Corrupt, "silent": TimedOut, "slow drip": TimedOut}
    | {"truncated": HERE, "one byte flipped": HERE, "another origin": Corrupt},
    "paths-info": dict.fromkeys(FAULTS, Offline) | {"500 then fine": Offline},
    "token": dict.fromkeys(FAULTS, Corrupt) | {"500 then fine": HERE, "slow drip": HERE},  # it is but a line
    "Xet": dict.fromkeys(FAULTS, Corrupt) | {"500 then fine": HERE},
}
# What has to be broken for the place to be asked at all
BEFORE = {
    "paths-info": [Fault("/tree/", status=500)],
    "token": [Fault("/resolve/", flip=True)],
    "Xet": [Fault("/resolve/", flip=True)],
}
SHORT = [
    ("tree", "silent"),
    ("tree", "429"),
    ("tree", "another origin"),
    ("resolve", "403 gated"),
    ("resolve", "404"),
    ("resolve", "429"),
    ("resolve", "500 then fine"),
    ("paths-info", "500"),
]
ALL = [(place, kind) for place in PLACES for kind in FAULTS]


@pytest.fixture
def hub(tmp_path, monkeypatch):
    monkeypatch.setattr("services.datafiles.connection.SILENCE_SECONDS", 0.4)
    monkeypatch.setattr("services.datafiles.listing.LIST_SECONDS", 0.8)
    monkeypatch.setattr("services.datafiles.xet.SILENCE_SECONDS", 12.0)
    with on_hub(tmp_path, {"data.bin": CONTENT}) as found:
        yield found


@pytest.mark.parametrize(
    ("place", "kind"),
    [pytest.param(*each, marks=[] if each in SHORT else pytest.mark.long, id=" · ".join(each)) for each in ALL],
)
def test_a_fault_is_its_state_in_time_and_the_next_try_works(hub, tmp_path, place, kind):
    (tmp_path / "wrong" / "owner__slug").mkdir(parents=True)
    (tmp_path / "wrong" / "owner__slug" / "data.bin").write_bytes(WRONG[:300_000])
    state = EXPECTED[place][kind]
    with LoopbackHub(buckets={BUCKET: tmp_path / "wrong"}) as other:
        fault = replace(FAULTS[kind], match=PLACES[place])
        if fault.redirect:
            fault = replace(fault, redirect=f"{other.url}/buckets/{BUCKET}/resolve/owner__slug/data.bin")
        hub.hub.faults[:] = [fault, *BEFORE.get(place, [])]
        deadline, start = (30.0, time.monotonic()) if (place, kind) not in SHORT else (2.5, time.monotonic())
        files = hub.files(deadline, token="hf_operator")
        if state is HERE:
            assert files.open(task("data.bin"), "data.bin").read_bytes() == CONTENT
        else:
            with pytest.raises(DataFileError, match=r"kept.* (Try again|Choose|Ask)|still|not touched") as caught:
                files.open(task("data.bin"), "data.bin")
            assert type(caught.value) is state, caught.value
            assert hub.whole() == []
            if state is RateLimited:
                assert (caught.value.seconds, "in 300 seconds" in str(caught.value)) == (300, True)
        assert time.monotonic() - start < deadline + 5
        assert all("authorization" not in headers for _, _, headers in other.requests)
    hub.hub.faults.clear()
    assert files.open(task("data.bin"), "data.bin").read_bytes() == CONTENT
    assert hub.whole() == [CONTENT]
    assert hub.parts() == []
