"""The symbolic rung's processes: no answer stops the app, and one that could not be compared is never a miss."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from services.grading import Grader

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "9**9**9+1"  # holds the interpreter's lock for 40 s


def processes_of(parent):
    """The worker programs below a process, and their children."""
    found = [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    return found + [child for pid in found for child in processes_of(pid)]


def is_worker(pid):
    return b"symbolic_worker" in Path(f"/proc/{pid}/cmdline").read_bytes()


def workers_here():
    found = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal() and descends(int(path.name))]
    return sorted(pid for pid in found if is_worker(pid))


def parent_of(pid):
    try:
        return int(re.search(r"^PPid:\s*(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)[1])
    except OSError:
        return 0


def descends(pid):
    while pid > 1:
        pid = parent_of(pid)
        if pid == os.getpid():
            return True
    return False


def child_and_keeper():
    first, second = workers_here()
    return (first, second) if parent_of(first) == second else (second, first)


def symbolic(verdict):
    return verdict.rungs[-1]


@pytest.fixture(scope="module")
def one_worker():
    with Grader(workers=1, seconds=1.0) as grader:
        assert grader.grade("1/3", "0.333333", "exact_short").method == "math_verify"
        yield grader
    assert workers_here() == []


def test_hostile_answers_are_answered_within_six_seconds_and_the_app_stays_alive():
    endless = [HOSTILE, "(10**1000000000)", "1/" * 500_000]
    long = ["9" * 100_000, "x" * 1_000_000, "(" * 1_000_000]
    with Grader(workers=3) as grader, ThreadPoolExecutor(3) as threads:
        grader.prepare()
        while len(workers_here()) < 6:  # of each its keeper, and a child that can compare
            time.sleep(0.02)
        start = time.monotonic()
        waiting = [threads.submit(grader.grade, "2", answer, "exact_short") for answer in endless]
        longest_pause = last = 0.0
        while not all(each.done() for each in waiting):
            time.sleep(0.01)
            now = time.monotonic() - start
            longest_pause, last = max(longest_pause, now - last), now
        assert last < 6
        assert longest_pause < 3
        assert [each.result().outcome for each in waiting] == ["not gradable"] * 3
        assert [grader.grade("2", answer, "exact_short").outcome for answer in long] == ["wrong"] * 3
        assert time.monotonic() - start < 12


def test_a_comparison_stopped_for_time_is_not_gradable_and_never_a_miss(one_worker):
    verdict = one_worker.grade("1", HOSTILE, "exact_short")
    assert (verdict.reward, verdict.method, verdict.outcome) == (None, "not_gradable", "not gradable")
    assert (symbolic(verdict).state, symbolic(verdict).detail) == (
        "could not run",
        "It took longer than 1 s and was stopped.",
    )


def test_an_earlier_match_stands_when_the_symbolic_rung_can_not_run(one_worker):
    verdict = one_worker.grade("1", f"1 or {HOSTILE}", "numeric")
    assert (verdict.reward, verdict.method) == (1.0, "numeric")
    assert symbolic(verdict).state == "could not run"


def test_a_value_that_can_not_be_written_out_does_not_spoil_the_verdict(one_worker):
    start = time.monotonic()
    verdict = one_worker.grade("x", r"\boxed{\dfrac{5^{(5^{(5^{(5^5)})}-4)}-5}{16}}", "exact_short")
    assert (verdict.method, symbolic(verdict).state) == ("miss", "failed")
    assert symbolic(verdict).prediction is None
    assert time.monotonic() - start < 4


def test_waiting_for_a_worker_does_not_count_against_the_time(one_worker):
    with ThreadPoolExecutor(9) as threads:
        hostile = threads.submit(one_worker.grade, "1", HOSTILE, "exact_short")
        time.sleep(0.2)
        waiting = [threads.submit(one_worker.grade, "1/3", "0.333333", "exact_short") for _ in range(8)]
        assert {each.result().method for each in waiting} == {"math_verify"}
        assert hostile.result().outcome == "not gradable"


def test_a_comparison_that_takes_too_much_memory_is_stopped():
    with Grader(workers=1, seconds=90.0, memory_mb=100) as grader:
        verdict = grader.grade("2", "(1+2)*" * 300_000 + "1", "exact_short", explain=False)
    assert verdict.outcome == "not gradable"
    assert symbolic(verdict).detail == "It took more than 100 MB of memory and was stopped."


def test_a_worker_that_dies_by_itself_is_replaced_and_the_comparison_tried_once_more(one_worker):
    child, keeper = child_and_keeper()
    os.kill(child, signal.SIGKILL)
    assert one_worker.grade("1/3", "0.333333", "exact_short").method == "math_verify"
    os.kill(keeper, signal.SIGKILL)
    while workers_here():  # its child ends with it, a moment later
        time.sleep(0.01)
    assert one_worker.grade("1/3", "0.333333", "exact_short").method == "math_verify"

    def kill_child_soon(times):
        for _ in range(times):
            time.sleep(0.3)
            os.kill(child_and_keeper()[0], signal.SIGKILL)

    for deaths, detail in [
        (1, "It took longer than 1 s and was stopped."),
        (2, "Its process ended twice without an answer."),
    ]:
        killer = threading.Thread(target=kill_child_soon, args=(deaths,))
        killer.start()
        assert symbolic(one_worker.grade("1", HOSTILE, "exact_short")).detail == detail
        killer.join()


def test_no_answer_is_run_as_a_program(one_worker, tmp_path):
    trace = tmp_path / "trace"
    for answer in [
        f"__import__('os').system('touch {trace}')",
        f"$\\text{{__import__('os').system('touch {trace}')}}$",
    ]:
        for gold, mode in [("1", "numeric"), ("yes", "exact_bool"), (answer + " ", "list")]:
            one_worker.grade(gold, answer, mode)
    assert not trace.exists()


def test_a_worker_knows_no_secret_of_the_app(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with Grader(workers=1) as grader:
        grader.grade("1/3", "0.333333")
        for pid in workers_here():
            assert b"hf_secret" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_no_worker_outlives_the_app():
    program = """
from services.grading import Grader
import threading
grader = Grader(workers=2, seconds=60.0)
grader.prepare()
threading.Thread(target=grader.grade, args=('1', '9**9**9+1', 'exact_short')).start()
print('busy', flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout.readline() == "busy\n"
        while len(left := processes_of(app.pid)) < 4:  # of each worker its keeper, and a child that can compare
            time.sleep(0.02)
        app.kill()
    end = time.monotonic() + 5
    while any(Path(f"/proc/{pid}").exists() for pid in left) and time.monotonic() < end:
        time.sleep(0.02)
    assert [pid for pid in left if Path(f"/proc/{pid}").exists()] == []


def test_a_closed_grader_says_so():
    grader = Grader(workers=1)
    threading.Timer(0.5, grader.close).start()
    verdict = grader.grade("1", HOSTILE, "exact_short")
    assert (verdict.outcome, symbolic(verdict).detail) == ("not gradable", "The grader is closed.")
    assert grader.grade("a", "A", "exact_short").method == "exact"
