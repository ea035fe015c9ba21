"""The catalog at the command line, for the operator: counts and rows of any query, gold answers included.

python -m services.catalog --source bundled --tier hard --q median --json
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict

from services.catalog import FACETS, ORDERS, REWARD_MODES, SPLITS, TIERS, Catalog, CatalogError, Query, open_catalog
from services.settings import SettingsError, load_settings

ALWAYS_KNOWN = {"split": SPLITS, "tier": TIERS, "mode": REWARD_MODES}
NAMED_AT_MOST = 20


def main() -> int:
    """Exit code 0; 1 when nothing could be opened; 2 when an argument has a value that nothing can match."""
    arguments = _parser().parse_args()
    if arguments.source:
        os.environ["TASKS_SOURCE"] = arguments.source
    try:
        catalog = open_catalog(load_settings())
    except (SettingsError, CatalogError) as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, SettingsError) else 1
    for line in catalog.status.left_out:
        print(f"Left out: {line}", file=sys.stderr)
    query = Query(**{name: getattr(arguments, name) for name in (*FACETS, "q", "order", "seed")})
    problems = list(_unknown_values(catalog, query))
    for problem in problems:
        print(problem, file=sys.stderr)
    show = _print_json if arguments.json else _print_table
    show(catalog, query, arguments.page)
    if problems:
        return 2
    return 0 if len(catalog) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m services.catalog", description="Search the tasks.")
    parser.add_argument("--source", help="auto, bundled, hub, a folder or datasets:…; default: TASKS_SOURCE")
    for name in FACETS:
        parser.add_argument(f"--{name.replace('_', '-')}", default="", help=f"only tasks of this {name}")
    parser.add_argument("--q", default="", help="only tasks with this text in question, id, dataset or a file's name")
    parser.add_argument("--order", choices=ORDERS, default=ORDERS[0])
    parser.add_argument("--seed", type=_whole_number, default=0, help="of the shuffled order")
    parser.add_argument("--page", type=_page_number, help="one page of 50, from 1; default: 1, with --json all")
    parser.add_argument("--json", action="store_true", help='print one object: {"total": N, "rows": [...]}')
    return parser


def _whole_number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, zero or more")
    return int(text)


def _page_number(text: str) -> int:
    number = _whole_number(text)
    if not number:
        raise argparse.ArgumentTypeError("pages count from 1")
    return number


def _unknown_values(catalog: Catalog, query: Query) -> Iterator[str]:
    """A sentence on each filter whose value no task could have, with the values it can."""
    for name, value in query.filters.items():
        known = list(dict.fromkeys((*ALWAYS_KNOWN.get(name, ()), *catalog.values(name))))
        if value in known:
            continue
        close = known if len(known) <= NAMED_AT_MOST else difflib.get_close_matches(value, known, 3, 0)
        which = "one of" if close is known else f"one of {len(known):,}, such as"
        yield f"--{name.replace('_', '-')} {value!r} is unknown: it is {which} {', '.join(close) or 'none'}."


def _print_json(catalog: Catalog, query: Query, page: int | None) -> None:
    tasks = catalog.tasks(query, None if page is None else page - 1)
    print(f'{{"total": {catalog.search(query, size=1).total}, "rows": [', end="")
    for number, task in enumerate(tasks):
        print(",\n" if number else "\n", json.dumps(asdict(task)), sep="", end="")
    print("\n]}")


def _print_table(catalog: Catalog, query: Query, page: int | None) -> None:
    found = catalog.search(query, page=(page or 1) - 1)
    print(catalog.status.sentence)
    for name, counts in catalog.facets(query).items():
        shown = " · ".join(f"{_one_line(value)} {tasks:,}" for value, tasks in counts[:NAMED_AT_MOST])
        more = f" · and {len(counts) - NAMED_AT_MOST:,} more" if len(counts) > NAMED_AT_MOST else ""
        print(f"  {name.replace('_', ' ')}: {shown or 'none'}{more}")
    pages = -(-found.total // 50)
    print(f"{found.total:,} tasks" + (f", page {found.page + 1:,} of {pages:,}" if pages > 1 else ""))
    for row in found.rows:
        tags = f"{row.split:5} {row.difficulty_tier:6} {row.difficulty_level} {_one_line(row.reward_mode):11}"
        print(f"{_one_line(row.task_id):24} {tags} {_one_line(row.kaggle_dataset):30} {_one_line(row.question)[:100]}")


def _one_line(text: str) -> str:
    return "".join(each if each.isprintable() else "\ufffd" for each in " ".join(text.split()))


if __name__ == "__main__":
    try:
        code = main()
        print(end="", flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
        if not isinstance(error, BrokenPipeError):  # which means the reader, such as `head`, has seen enough
            print(f"The output can't be written: {error.strerror}.", file=sys.stderr)
            code = 1
    sys.exit(code)
