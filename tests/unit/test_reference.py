"""The dataset's grader beside ours: fetched from a Hub on this machine, confined, and failing is no disagreement."""

import gzip
import json
import os
import threading
import time
from pathlib import Path

import pytest

from services.grading import Grader
from services.reference import ReferenceGrader, ReferenceVerdict, open_reference
from services.reference.program_text import ProgramText
from services.settings import Settings
from tests.loopback_hub import COMMIT, Fault, LoopbackHub, refusing_hub

DATA = Path(__file__).resolve().parents[1] / "data"
STAND_IN = (DATA / "reference_grader.py").read_text()
DATASET = "FineEnvs/SmolDataEnvs"
GOOD = 'return {"reward": 1.0, "method": "exact"}'


@pytest.fixture
def hub(tmp_path, monkeypatch):
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "grader.py").write_text(STAND_IN)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_TELEMETRY", True)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with LoopbackHub(datasets={DATASET: repository}) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        yield running


@pytest.fixture
def opened(tmp_path):
    graders = []

    def open_it(**others):
        cache = {"cache_dir": tmp_path / "cache", "tasks_revision": COMMIT}
        graders.append(open_reference(Settings(reference_grader=True, **cache | others)))
        return graders[-1]

    yield open_it
    for grader in graders:
        grader.close()


@pytest.fixture(scope="module")
def running():
    graders = []

    def run(text, seconds=10.0):
        graders.append(ReferenceGrader(lambda: ProgramText(text, COMMIT), seconds, 1024))
        return graders[-1]

    yield run
    for grader in graders:
        grader.close()


@pytest.fixture(scope="module")
def obedient(running):
    """A grader that first does what the answer says."""
    return running(f"def grade(prediction, **case):\n    exec(prediction)\n    {GOOD}")


@pytest.fixture(scope="module")
def chosen(running):
    """A grader that gives back what the answer says."""
    program = "from types import SimpleNamespace\ndef grade(prediction, **case):\n    return eval(prediction)"
    return running(program)


def graded(reference, prediction="x"):
    return reference.grade("x", prediction, "exact_short", 1e-3, 1e-3)


def test_it_is_off_unless_asked_for(hub):
    assert open_reference(Settings()) is None
    assert hub.requests == []


def test_the_datasets_grader_is_fetched_at_the_pinned_revision_and_agrees_with_ours(hub, opened, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_the_spaces_own")
    reference = opened()
    assert hub.requests == []  # nothing before the first use
    with gzip.open(DATA / "grader-parity.jsonl.gz", "rt") as lines:
        cases = [json.loads(line) for line in lines][::20]
    methods = set()
    with Grader(workers=1) as ours:
        for case in cases:
            given = [case[name] for name in ("gold", "prediction", "reward_mode", "atol", "rtol")]
            theirs, verdict = reference.grade(*given), ours.grade(*given, explain=False)
            assert (theirs.reward, theirs.method, theirs.revision) == (case["reward"], case["method"], COMMIT)
            assert not theirs.disagrees(verdict.reward, verdict.method)
            methods.add(theirs.method)
    assert methods == {"exact", "numeric", "numeric_scaled", "list", "math_verify", "miss"}
    paths = {path for _, path, _ in hub.requests}
    assert paths == {f"/datasets/{DATASET}/resolve/{COMMIT}/grader.py"}
    assert not any("authorization" in headers for _, _, headers in hub.requests)

    reference.close()
    assert graded(reference).why_not == "The dataset's grader could not run: the grader is closed."
    hub.requests.clear()
    assert graded(opened()).method == "exact"
    assert hub.requests == []  # a kept copy needs no asking


def test_a_disagreement_is_said_and_no_verdict_is_none():
    theirs = ReferenceVerdict(1.0, "math_verify", COMMIT)
    assert theirs.disagrees(0.0, "miss")
    assert theirs.disagrees(1.0, "list")
    assert not theirs.disagrees(1.0, "math_verify")
    assert not theirs.disagrees(None, "not_gradable")
    assert not ReferenceVerdict(None, "", COMMIT, "why").disagrees(0.0, "miss")
    assert theirs.as_dict() == {"reward": 1.0, "method": "math_verify", "revision": COMMIT, "why_not": ""}


def test_a_grader_of_other_rules_disagrees(running):
    reference = running(STAND_IN.replace('return "exact"', 'return "miss"'))
    verdict = graded(reference)
    assert (verdict.reward, verdict.method) == (0.0, "miss")
    assert verdict.disagrees(1.0, "exact")
    assert not graded(reference, None).disagrees(0.0, "miss")


@pytest.mark.parametrize(
    ("attempt", "refusal"),
    [
        (f"open({str(DATA / 'README.md')!r}).read()", "PermissionError"),
        ("open('/etc/shadow').read()", "PermissionError"),
        ("open('/proc/self/environ').read()", "PermissionError"),
        ("__import__('os').listdir('.')", "PermissionError"),
        ("open('/tmp/grader-was-here', 'w')", "PermissionError"),
        ("__import__('socket').create_connection(('127.0.0.1', PORT))", "Error"),
        ("__import__('os').fork()", "PermissionError"),
        ("__import__('subprocess').run(['/bin/true'])", "PermissionError"),
        ("__import__('os').kill(__import__('os').getppid(), 9)", "PermissionError"),
        ("bytearray(3_000_000_000)", "MemoryError"),
    ],
)
def test_it_reaches_no_file_no_network_and_no_process(obedient, hub, attempt, refusal):
    verdict = graded(obedient, attempt.replace("PORT", hub.url.rpartition(":")[2]))
    assert verdict.reward is None and verdict.method == ""
    assert verdict.why_not.startswith("The dataset's grader gave no verdict: it ended with ")
    assert refusal in verdict.why_not
    assert hub.requests == []


def test_the_same_refusals_hold_while_it_is_loaded(running):
    verdict = graded(running("open('/etc/shadow')"))
    assert verdict.why_not.startswith(
        "The dataset's grader could not run: its program ended with PermissionError: [Errno 13]"
    )


def test_it_knows_no_secret_of_the_app(running, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    verdict = graded(running("import os\nraise ValueError(sorted(os.environ))"))
    assert "LANG" in verdict.why_not and "HF_TOKEN" not in verdict.why_not


def test_one_that_never_ends_is_stopped_and_the_next_answer_is_graded(running):
    reference = running(f"def grade(prediction, **case):\n    exec(prediction)\n    {GOOD}", seconds=1.0)
    assert graded(reference, "pass").method == "exact"
    start = time.monotonic()
    verdict = graded(reference, "while True: pass")
    assert verdict.why_not == "The dataset's grader gave no verdict: it took longer than 1 s and was stopped."
    assert time.monotonic() - start < 3
    assert graded(reference, "pass").method == "exact"


def test_closing_waits_for_no_answer(running):
    reference = running(f"def grade(prediction, **case):\n    exec(prediction)\n    {GOOD}")
    assert graded(reference, "pass").method == "exact"
    threading.Timer(0.3, reference.close).start()
    start = time.monotonic()
    assert "its process ended without an answer" in graded(reference, "while True: pass").why_not
    assert time.monotonic() - start < 3


@pytest.mark.parametrize(
    "given",
    ["(1.0, 'list')", "SimpleNamespace(reward=1, method='list')", "{'reward': True, 'method': 'list', 'more': None}"],
)
def test_what_a_grader_gives_back_may_have_any_of_the_usual_forms(chosen, given):
    verdict = graded(chosen, given)
    assert (verdict.reward, verdict.method) == (1.0, "list")


@pytest.mark.parametrize("given", ["float('nan'), 'list'", "None", "{'reward': 1.0}", "'ab'"])
def test_what_is_no_verdict_is_no_disagreement(chosen, given):
    verdict = graded(chosen, given)
    assert verdict.why_not.startswith("The dataset's grader gave no verdict: ")
    assert not verdict.disagrees(0.0, "miss")


def test_one_that_ends_its_process_gave_no_verdict(obedient):
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    for ending in ("import os; os._exit(0)", "import os; os.write(3, b'x' * 200_000)", "raise SystemExit"):
        assert graded(obedient, "pass" + " " * 1_000_000).method == "exact"
        running_then = children.read_text().split()
        verdict = graded(obedient, ending)
        assert verdict.why_not == "The dataset's grader gave no verdict: its process ended without an answer."
        assert len(children.read_text().split()) == len(running_then) - 1


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault(silent=True), "the Hub did not deliver it within 3 s"),
        (Fault(status=403), "the Hub denied access (status 403)"),
        (
            Fault(status=404, headers={"X-Error-Code": "EntryNotFound"}),
            f"{DATASET} has no grader.py at revision {COMMIT}",
        ),
    ],
)
def test_a_hub_that_does_not_deliver_is_no_disagreement_and_not_asked_for_each_answer(hub, opened, fault, reason):
    hub.faults.append(fault)
    reference = opened(hub_file_seconds=3)
    start = time.monotonic()
    for _ in range(5):
        verdict = graded(reference)
        assert verdict.why_not == f"The dataset's grader could not run: {reason}."
        assert not verdict.disagrees(1.0, "exact")
    assert time.monotonic() - start < 12


def test_without_a_network_it_says_so(opened, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with refusing_hub() as endpoint:
        monkeypatch.setenv("HF_ENDPOINT", endpoint)
        assert "the Hub can't be reached (Connection refused)" in graded(opened()).why_not
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE is set, and no copy is kept" in graded(opened()).why_not
