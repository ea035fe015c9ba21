"""A batch told: one object of numbers, the same as Markdown, and its rows as a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Literal

from services.batch.apart import OUTCOMES
from services.batch.compare import compare
from services.batch.matching import Counts, Policy
from services.batch.store import BatchRow, Store
from services.batch.summary import summaries
from services.batch.versions import Versions

Export = Literal["csv", "jsonl"]
COLUMNS = tuple(field.name for field in fields(BatchRow) if field.name != "row")
_DATASETS_SHOWN = 20
_LISTED = ("cautions", "near_misses")


def build_report(
    store: Store, versions: Versions, counts: Counts | None = None, policy: Policy | None = None, state: str = "done"
) -> dict[str, Any]:
    """The numbers of a batch as JSON's own types.

    `{versions, state, policy, counts, runs, comparison}`: `counts` as before grading, `runs` see `summaries`, and
    `comparison` of the first two runs (see `compare`; None with fewer).
    """
    runs = summaries(store)
    return {
        "versions": versions.as_dict(),
        "state": state,
        "policy": asdict(policy) if policy else None,
        "counts": counts.as_dict() if counts else None,
        "runs": runs,
        "comparison": compare(store, runs[0]["run"], runs[1]["run"]) if len(runs) > 1 else None,
    }


def export_rows(rows: Iterable[BatchRow], versions: Versions, kind: Export, path: Path) -> int:
    """Write rows and, in each, the versions; gives back how many.

    Golds are not among them. Every text is written as it is: a spreadsheet may take a cell of the CSV that begins with
    =, +, - or @ for a formula, so import its columns there as text. What UTF-8 can't hold is escaped (`\\udc80`).
    """
    written = 0
    extra = versions.as_dict()
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        table = csv.writer(file)
        if kind == "csv":
            table.writerow((*COLUMNS, *extra))
        for row in rows:
            values = {name: getattr(row, name) for name in COLUMNS}
            if kind == "csv":
                told = (", ".join(value) if isinstance(value, tuple) else value for value in values.values())
                table.writerow((*told, *extra.values()))
            else:
                file.write(json.dumps(values | extra) + "\n")
            written += 1
    return written


def as_markdown(report: Mapping[str, Any]) -> str:
    """The report for people: every rate with its interval and what it is a share of."""
    parts = ["# Batch report"]
    if report["counts"]:
        parts += _count_parts(report["counts"])
    if any(run["ungraded"] for run in report["runs"]):
        parts.append(f"**Partial** ({report['state']}): rates are over the rows graded so far.")
    for run in report["runs"]:
        parts += _run_parts(run)
    if report["comparison"]:
        parts += _comparison_parts(report["comparison"])
    versions = report["versions"]
    revision = f" at revision {versions['revision']}" if versions["revision"] else ""
    parts.append(f"Graded by {versions['app']} ({versions['grader']}) on {_cell(versions['tasks'])}{revision}.")
    return "\n\n".join(parts) + "\n"


def _count_parts(counts: Mapping[str, Any]) -> list[str]:
    header = ("Run", "Rows", "Matched", "Tasks", "Samples", "Duplicates", "Missing", "Unknown ids", "Other splits")
    rows = [
        (
            *(run[name] for name in ("run", "rows", "matched", "tasks", "samples")),
            *(run[name]["count"] for name in ("duplicates", "missing", "unknown", "other_splits")),
        )
        for run in counts["runs"]
    ]
    parts = [f"Counted against the tasks of {', '.join(counts['splits'])}.", _table(header, rows)] if rows else []
    if counts["broken"]["count"]:
        told = "; ".join(_cell(each) for each in counts["broken"]["examples"])
        parts.append(f"{counts['broken']['count']:,} records can't be read. The first: {told}")
    return parts


def _run_parts(run: Mapping[str, Any]) -> list[str]:
    missing = f", {run['missing']:,} missing tasks counted as wrong" if run["missing"] else ""
    ungraded = f", {run['ungraded']:,} not graded yet" if run["ungraded"] else ""
    parts = [
        f"## {_cell(run['run'])}",
        f"{run['rows']:,} rows of {run['tasks']:,} tasks{missing}{ungraded}.",
        _table(("Rate", "Value (95% interval)", "Tasks"), _rate_rows(run)),
        "“All” counts a row without a gradable answer as not right; “answered alone” leaves it out.",
        _table(("Outcome", "Rows"), [(name, f"{run['outcomes'][name]:,}") for name in OUTCOMES]),
        _table(("Matched by", "Rows"), [(name, f"{count:,}") for name, count in run["methods"].items()]),
    ]
    for name in ("apart", *_LISTED):
        if run[name]:
            title = name.replace("_", " ").capitalize() if name != "apart" else "Set apart"
            parts.append(_table((title, "Rows"), [(kind, f"{count:,}") for kind, count in run[name].items()]))
    for facet, groups in run["groups"].items():
        rows = [(group["value"], _rate(group["all"]), _rate(group["answered"]), group["all"]["of"]) for group in groups]
        parts.append(_table((facet.capitalize(), "pass@1, all", "Answered alone", "Tasks"), rows[:_DATASETS_SHOWN]))
        if len(rows) > _DATASETS_SHOWN:
            parts.append(f"And {len(rows) - _DATASETS_SHOWN:,} more.")
    return parts


def _rate_rows(run: Mapping[str, Any]) -> list[tuple[str, str, int]]:
    rows = []
    for each in run["pass_at_k"]:
        rows.append((f"pass@{each['k']}, all", _rate(each["all"]), each["all"]["of"]))
        rows.append((f"pass@{each['k']}, answered alone", _rate(each["answered"]), each["answered"]["of"]))
    return rows


def _comparison_parts(table: Mapping[str, Any]) -> list[str]:
    first, second = _cell(table["first"]), _cell(table["second"])
    rows = [
        (f"{first} right", table["both_right"], table["only_first"]),
        (f"{first} wrong", table["only_second"], table["both_wrong"]),
    ]
    left = f"{table['left_out']:,} tasks are left out: one of the two has no gradable answer."
    return [
        f"## {first} against {second}",
        _table(("Tasks", f"{second} right", f"{second} wrong"), rows),
        f"McNemar's exact test, two-sided: p = {table['p_value']:.3g}. {left}",
    ]


def _rate(rate: Mapping[str, Any]) -> str:
    if rate["rate"] is None:
        return "no tasks"
    return f"{rate['rate']:.1%} ({rate['low']:.1%} to {rate['high']:.1%})"


def _table(header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join(f"| {' | '.join(_cell(str(value)) for value in line)} |" for line in lines)


def _cell(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    line = " ".join(text.split())
    return "".join(f"\\{mark}" if mark in "\\`*_[]<>|#" else mark for mark in line)
