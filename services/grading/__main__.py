"""Grade a file of answers.

    python -m services.grading [--explain] [--report json|markdown] [FILE.jsonl]

One JSON object a line in (`gold`, `prediction`, `reward_mode`, `atol`, `rtol`; missing tolerances are 1e-3, a
prediction of null is no answer), one line out for each: all it held, and `reward`, `method`, `outcome` and `rungs`.
With --explain also `cautions`, why to doubt a match, or a gold that is not what the line's `question` asks for, and
`near_misses`, the smallest edits that would make a failed answer pass. A line that can't be graded comes out with
`error` and `line`, and the run goes on. Exit code 0; 1 when a line had an error; 2 when the file can't be read.

With --report the numbers of all lines come out instead: rates with 95% intervals, what matched, failures apart. Lines
may then name their `task_id` (lines of one task are its samples), `run`, `split`, `tier`, `level` and `dataset`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from services.grading import Grader
from services.grading.grader import TOLERANCE

JsonObject = dict[str, Any]
_OURS = ("reward", "method", "outcome", "rungs", "cautions", "near_misses")
_LONGEST_INTEGER = 4300  # digits int() reads


class BadLine(ValueError):
    """A line that can't be graded; the message is a sentence that says why."""


def graded_lines(lines: Iterable[bytes], grader: Grader, *, explain: bool = False) -> Iterator[JsonObject]:
    """One object for each line that isn't blank, in order; only a few lines are held at a time."""
    waiting: deque[Future[JsonObject]] = deque()
    with ThreadPoolExecutor(grader.workers) as threads:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            waiting.append(threads.submit(_graded, number, line, grader, explain))
            if len(waiting) > 4 * grader.workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _graded(number: int, line: bytes, grader: Grader, explain: bool) -> JsonObject:
    row: JsonObject = {}
    try:
        # utf-8-sig: some editors start a file with a mark
        text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip()
        row = _object(json.loads(text, parse_int=_integer, parse_float=_float))
        written = json.loads(text, parse_float=str, parse_int=str)
        gold, prediction = _gold(written), _text(written.get("prediction"), "prediction")
        mode, atol, rtol = _mode(row), _tolerance(row, "atol"), _tolerance(row, "rtol")
        question = _question(written) if explain else ""
    except UnicodeDecodeError:
        return {"error": "The line is not UTF-8 text.", "line": number}
    except json.JSONDecodeError as error:
        return {"error": f"The line is not JSON: {error.msg} (character {error.pos + 1}).", "line": number}
    except RecursionError:
        return {"error": "The line is JSON nested too deep to read.", "line": number}
    except BadLine as error:
        given = {name: value for name, value in row.items() if name not in _OURS}
        return given | {"error": str(error), "line": number}
    if explain:
        return row | grader.explain(gold, prediction, mode, atol, rtol, question=question).as_dict()
    return row | grader.grade(gold, prediction, mode, atol, rtol).as_dict()


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else digits


def _float(digits: str) -> float | str:
    value = float(digits)
    return value if math.isfinite(value) else digits  # JSON has no infinity to pass on


def _object(value: object) -> JsonObject:
    if not isinstance(value, dict):
        raise BadLine("The line is JSON, but not an object with gold and prediction.")
    return value


def _gold(row: JsonObject) -> str:
    gold = _text(row.get("gold"), "gold")
    if gold is None:
        raise BadLine("There is no gold.")
    return gold


def _text(value: object, name: str) -> str | None:
    """A text, or a number or truth value as it is written in the file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):  # NaN and Infinity, which JSON does not have
        return str(value)
    if value is None or isinstance(value, str):
        return value
    raise BadLine(f"{name} is a list or an object; it should be text.")


def _mode(row: JsonObject) -> str:
    mode = row.get("reward_mode")
    if mode is not None and not isinstance(mode, str):
        raise BadLine("reward_mode should be text.")
    return mode or ""


def _question(row: JsonObject) -> str:
    return _text(row.get("question"), "question") or ""


def _tolerance(row: JsonObject, name: str) -> float:
    value = row.get(name)
    if value is None:
        return TOLERANCE
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise BadLine(f"{name} should be a number, zero or more.")
    return float(value)


def _print_report(answers: Iterable[JsonObject], kind: str, explained: bool) -> int:
    from services.batch import BatchError, as_markdown, report_of_lines  # it loads pyarrow: not for plain lines

    try:
        report = report_of_lines(answers, explained)
    except BatchError as error:
        print(error, file=sys.stderr)
        return 2
    print(as_markdown(report) if kind == "markdown" else json.dumps(report, indent=1))
    return int(report["counts"]["broken"]["count"] > 0)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m services.grading", description=(__doc__ or "").strip())
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", nargs="?", help="JSON lines; standard input when not given")
    parser.add_argument("--explain", action="store_true", help="add cautions and near misses to each line")
    parser.add_argument("--report", choices=("json", "markdown"), help="print the numbers of all lines instead")
    arguments = parser.parse_args()
    name = arguments.file
    try:
        lines = Path(name).open("rb") if name else sys.stdin.buffer  # noqa: SIM115 - closed below
    except OSError as error:
        print(f"{name} can't be read: {error.strerror}.", file=sys.stderr)
        return 2
    failed = False
    try:
        with lines, Grader() as grader:
            answers = graded_lines(lines, grader, explain=arguments.explain)
            if arguments.report:
                return _print_report(answers, arguments.report, arguments.explain)
            for answer in answers:
                failed |= "reward" not in answer
                print(json.dumps(answer), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # which means the reader has seen enough
            print(f"The run ended early: {error.strerror}.", file=sys.stderr)
            return 2
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
