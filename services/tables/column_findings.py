"""What is odd about the cells of each column, and how read_csv reads them right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from services.tables.arguments import TEXT, Arguments, Code
from services.tables.column_check import MAX_ODD, ColumnCheck
from services.tables.findings import Finding, quoted

Key = str | int
Columns = list[tuple[Key, str, ColumnCheck]]
_MOST = 0.8  # of a column's cells that have a form make it the column's
_MOST_COLUMNS = 50  # that an argument lists one by one
_PLACEHOLDERS = frozenset(("unknown", "missing", "none", "nil", "n.a.", "n.a", "na", "n.d.", "nd", "tbd", "undefined"))
_ORDERS = ("day first", "month first", "year first")


def column_findings(
    checks: Sequence[ColumnCheck], keys: Sequence[Key], names: Sequence[str], delimiter: str
) -> Iterator[Finding]:
    """The findings of columns, given by what pandas calls each (`keys`) and by the name to show."""
    every = [each for each in zip(keys, names, checks, strict=True) if each[0] != ""]  # pandas' index has no name
    columns = [(key, name, check) for key, name, check in every if check.filled]
    yield from _mixed(columns)
    yield from _separators(columns, delimiter)
    yield from _dressed(columns)
    yield from _codes(columns)
    yield from _dates(columns)
    yield from _words(every)


def _mixed(columns: Columns) -> Iterator[Finding]:
    for key, name, check in columns:
        other, odd = _odd(check)
        if not other or other >= check.numbers:
            continue
        row, value = min(odd, key=lambda each: each[0])
        values = list(dict.fromkeys(value for _, value in odd))
        yield Finding(
            "mixed types",
            f"Column {name!r} is numbers in {check.numbers:,} cells and something else in {other:,}: "
            f"the first is {quoted([value])} in row {row:,}.",
            (row,),
            {"na_values": {key: values}} if _stands_for_nothing(check, values) else {"dtype": {key: TEXT}},
        )


def _odd(check: ColumnCheck) -> tuple[int, list[tuple[int, str]]]:
    """How many cells of a column of numbers are none, and some of them with their rows."""
    others = [kind for kind in ("text", "date", "dressed", "spaced") if check.forms[kind]]
    if check.numbers and _share(check, "dressed") < _MOST and _share(check, "spaced") < _MOST:
        odd = [(row, value) for value, row in check.odd.items()]
        return sum(check.forms[kind] for kind in others), odd + [check.first[kind] for kind in others if kind != "text"]
    return 0, []


def _share(check: ColumnCheck, kind: str) -> float:
    """Of the cells: numbers in this dress, where those without any are counted too."""
    return (check.forms[kind] + check.numbers) / check.filled if check.forms[kind] * 2 > check.filled else 0


def _stands_for_nothing(check: ColumnCheck, values: list[str]) -> bool:
    return (
        len(values) <= MAX_ODD
        and check.zeros is None
        and check.huge is None
        and all(value.strip().casefold() in _PLACEHOLDERS or not any(map(str.isalnum, value)) for value in values)
    )


def _separators(columns: Columns, delimiter: str) -> Iterator[Finding]:
    commas, thousands = [], []
    for column in columns:
        forms = column[2].forms
        if column[2].numbers * 2 <= column[2].filled:
            continue
        if forms["comma"] or forms["points"] or (forms["either"] and delimiter == ";"):
            commas.append(column)
        elif forms["thousands"] or forms["either"]:
            thousands.append(column)
    points = any(check.pointed for _, _, check in columns) or any(
        "." in check.first["date"][1] for _, _, check in columns if "date" in check.first
    )
    if commas:
        grouped = any(check.forms["points"] for _, _, check in commas)
        cure: Arguments = {"decimal": ",", "thousands": "."} if grouped else {"decimal": ","}
        if thousands or points:
            cure = _converted(commas, ".replace('.', '').replace(',', '.')" if grouped else ".replace(',', '.')")
        yield _separated("decimal commas", "Decimal commas", commas, ("comma", "points", "either"), cure)
    if thousands:
        cure = _converted(thousands, ".replace(',', '')") if commas else {"thousands": ","}
        yield _separated("thousands separators", "Commas between thousands", thousands, ("thousands", "either"), cure)


def _separated(kind: str, what: str, columns: Columns, forms: Sequence[str], cure: Arguments) -> Finding:
    first = min(check.first[form] for _, _, check in columns for form in forms if form in check.first)
    names = quoted([name for _, name, _ in columns])
    return Finding(
        kind, f"{what} in {names}: {first[1]!r} in row {first[0]:,}; pandas reads it as text.", (first[0],), cure
    )


def _converted(columns: Columns, change: str) -> Arguments:
    code = Code(f"lambda cell: pd.to_numeric(cell{change}, errors='coerce')")
    return {"converters": {key: code for key, _, _ in columns}}


def _dressed(columns: Columns) -> Iterator[Finding]:
    for column in columns:
        _, name, check = column
        dress = [each for each in check.details if each not in (*_ORDERS, "day or month first")]
        spaced = _share(check, "spaced") >= _MOST
        if not spaced and (_share(check, "dressed") < _MOST or not dress):
            continue
        row, value = check.first["spaced" if spaced else "dressed"]
        cure: Arguments | None = None
        change = ".replace(' ', '').replace('\\xa0', '').replace('\\u202f', '').replace(',', '.')" if spaced else None
        if not spaced and len(dress) == 1:
            change = f".replace({dress[0]!r}, '').replace(',', '').strip()"
        if change:
            cure = _converted([column], change)
        yield Finding(
            "numbers as text",
            f"Column {name!r} holds numbers written as text: {value!r} in row {row:,}."
            + (f" They are of {len(dress):,} kinds: {quoted(dress)}." if len(dress) > 1 and not spaced else ""),
            (row,),
            cure,
        )


def _codes(columns: Columns) -> Iterator[Finding]:
    for kind, what in (("leading zeros", "Zeros in front"), ("huge integers", "Whole numbers beyond 64 bits")):
        places = [
            (key, name, place)
            for key, name, check in columns
            if (place := check.zeros if kind == "leading zeros" else check.huge) and check.numbers * 2 > check.filled
            if kind == "huge integers" or not check.pointed
        ]
        if places:
            row, value = min(place for _, _, place in places)
            names = quoted([name for _, name, _ in places])
            yield Finding(
                kind,
                f"{what} in {names}: {value!r} in row {row:,}; as a number it would lose digits.",
                (row,),
                {"dtype": {key: TEXT for key, _, _ in places}},
            )


def _dates(columns: Columns) -> Iterator[Finding]:
    day_first: list[Key] = []
    for key, name, check in columns:
        if check.forms["date"] < _MOST * check.filled:
            continue
        orders = [order for order in _ORDERS if check.details[order]]
        places = sorted((*check.first[order], order) for order in orders)
        if len(orders) > 1:
            shown = " and ".join(f"{value!r} in row {row:,} is {order}" for row, value, order in places)
            yield Finding(
                "mixed dates",
                f"Dates in more than one order in {name!r}: {shown}.",
                [row for row, _, _ in places],
                {"dtype": {key: TEXT}},
            )
        elif orders == ["day first"] or (not orders and check.details["day or month first"]):
            row, value = check.first[orders[0] if orders else "day or month first"]
            day_first.append(key)
            said = (
                f"Dates in {name!r} have the day first: {value!r} in row {row:,}."
                if orders
                else f"Dates in {name!r} may have the day or the month first: no number is over 12, as in {value!r} "
                f"(row {row:,}). With the day first:"
            )
            said = said.replace(". With the day first:", "; the arguments read the day first.")
            yield Finding("date order", said, (row,), {"parse_dates": [key], "dayfirst": True})


def _words(every: Columns) -> Iterator[Finding]:
    """Words are kept as text where most cells are text; in a column of numbers or dates they do stand for nothing."""
    columns = [column for column in every if column[2].words]
    if not columns:
        return
    counts: dict[str, int] = {}
    for _, _, check in columns:
        for word, (count, _) in check.words.items():
            counts[word] = counts.get(word, 0) + count
    rows = sorted({row for _, _, check in columns for _, row in check.words.values()})
    shown = ", ".join(f"{word} ({count:,})" for word, count in sorted(counts.items()))
    names = [name for _, name, _ in columns]
    yield Finding(
        "missing words",
        f"pandas reads {shown} as missing in {quoted(names)}; here the words are shown as they stand.",
        rows[:5],
        _keep(every),
    )


def _keep(every: Columns) -> Arguments | None:
    kept = {word for _, _, check in every if check.is_text for word in check.words}
    missing = {word for _, _, check in every if not check.is_text for word in check.words}
    if not kept:
        return {}
    values: list[str] | Mapping[Any, list[str]] = ["", *sorted(missing)]
    if kept & missing:
        if len(every) > _MOST_COLUMNS:
            return None
        values = {key: ["", *(() if check.is_text else sorted(check.words))] for key, _, check in every}
    return {"keep_default_na": False, "na_values": values}
