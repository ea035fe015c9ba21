"""Files of every kind, spoilt at random: each is shown or refused in a sentence, within its time and memory."""

import json
import random
import resource
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from services.tables import TableError, children, preview
from tests.awkward_files import FILES, make_all

SECONDS, MEMORY_MB = 20, 1024
EXTREMES = [b"\xff" * 4, b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0" * 4, b"\xff" * 8, b"\x80", b"\0\0\0\x80"]


def spoilt(rng, data, others):
    """The data with one to three things done to it that files suffer, or attackers do."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data) + 1)
        length = rng.choice([1, 4, 64, 1000])
        match rng.randrange(5):
            case 0:
                for place in rng.choices(range(max(1, len(data))), k=rng.choice([1, 8, 50])):
                    data[place : place + 1] = bytes([rng.randrange(256)])
            case 1:
                del data[at : at + rng.choice([length, len(data)])]
            case 2:
                other = rng.choice(others)
                start = rng.randrange(len(other))
                data[at:at] = other[start : start + length]
            case 3:
                data[at:at] = data[at : at + length] * rng.choice([2, 100])
            case 4:
                extreme = rng.choice(EXTREMES)
                data[at : at + len(extreme)] = extreme
    return bytes(data)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The small files of the corpus, by name."""
    folder = tmp_path_factory.mktemp("whole")
    make_all(folder)
    paths = {name: folder / name.replace(".", "-") / name for name in FILES}
    return {
        name: path.read_bytes() for name, path in paths.items() if path.is_file() and 0 < path.stat().st_size < 2**16
    }


def outcomes(whole, folder, seeds):
    """How the previews ended: the first words of the sentence, or "shown"."""
    names = sorted(whole)
    others = [whole[name] for name in names]

    def outcome(seed):
        rng = random.Random(seed)
        name = names[seed % len(names)]
        place = folder / str(seed)
        place.mkdir()
        path = place / name
        path.write_bytes(spoilt(rng, whole[name], others))
        began = time.monotonic()
        try:
            json.dumps(preview(path, table=rng.choice([None, FILES[name].table])).as_dict())
            said = "shown"
        except TableError as error:
            said = str(error)
            assert said.endswith((".", ".)")), f"seed {seed}: {said}"
        assert time.monotonic() - began < SECONDS + 5, f"seed {seed} took too long"
        print(seed, name, said[:200], flush=True)
        return said

    print(f"seeds {seeds}")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # of other tests' processes
    with children.ready(SECONDS, MEMORY_MB), ThreadPoolExecutor(2) as pool:
        said = Counter(pool.map(outcome, seeds))
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= max(before, MEMORY_MB * 1024)
    return said


def test_some_spoilt_files(whole, tmp_path):
    said = outcomes(whole, tmp_path, range(25))
    assert said["shown"] > 4 and len(said) > 4  # neither all whole nor all alike


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_2000_spoilt_files(whole, tmp_path):
    outcomes(whole, tmp_path, range(1000, 3000))
