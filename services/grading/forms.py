"""The form an answer is given in, apart from what it says: edits that take one layer of it off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from services.grading.characters import look_alikes, plain
from services.grading.explained import NearMissKind


@dataclass(frozen=True)
class Edit:
    """`text` is what one edit makes of an answer; `edit` says it in a line."""

    kind: NearMissKind
    edit: str
    text: str


_LAYERS_MOST = 20
_ABOUT = r"(?:(?:about|approximately|approx\.?|around|roughly|nearly|almost|exactly)\s+|[≈~]\s*)"
_PREFIX = re.compile(
    r"\s*[*_]{0,3}(?:"
    r"(?:so,?\s+|therefore,?\s+|thus,?\s+|hence,?\s+)?(?:the\s+|my\s+)?(?:final\s+|correct\s+)?"
    r"(?:answer|result|value|solution|output|ans)\b\W{0,3}(?:is\b|are\b|was\b|[:=]|->)[*_]{0,3}\s*"
    r"|(?:the|it|this|that|there)\b[^.\d<>=\n]{0,60}?\b(?:is|are|was|were|equals)\s+(?!not\b)"
    r"|[^\W\d]\w{0,30}\s*[=≈]\s*(?!=)"
    r"|[^\W\d][^\W\d_]*(?:[ _][^\W\d_]+){0,4}\s*:[*_]{0,3}\s*(?!/)"
    r")" + _ABOUT + r"?|\s*" + _ABOUT,
    re.IGNORECASE,
)
_FENCE = re.compile(r"\s*```[\w+-]*[ \t]*\n?(.*?)\n?\s*```\s*", re.DOTALL)
_MARKUP = (
    (re.compile(r"\s*`([^`]+)`\s*"), "the backticks"),
    (re.compile(r"\s*(\*{1,3}|_{2,3})([^*]+)\1\s*"), "the bold or italic marks"),
    (re.compile(r"\s*\$*\\boxed\{(.*)\}\$*\s*", re.DOTALL), "\\boxed{}"),
    (re.compile(r"\s*\\(?:text|mathrm|mathbf|textbf)\{([^{}]*)\}\s*"), "the TeX command"),
    (re.compile(r"\s*(?:\$\$?([^$]+)\$\$?|\\\((.+)\\\)|\\\[(.+)\\\])\s*"), "the TeX delimiters"),
    (re.compile(r"\s*<(\w+)>([^<>]*)</\1>\s*"), "the tags"),
    (re.compile(r"\s*#{1,6}\s+(.+)"), "the heading mark"),
)
_QUOTED = re.compile(r"\s*(?:\"([^\"]*)\"|'([^']*)')\s*")
_BRACKETED = re.compile(r"\s*(?:\(([^()]*)\)|\[([^\[\]]*)\]|\{([^{}]*)\})\s*")
_CLOSING = re.compile(r"(?<=[^\s.!;,:])\s*(?!(?<=\d)!)[.!;,:]{1,3}\s*$")  # 5! is a factorial
_TARGET = r"(?:(?:~|\$\{?\w+\}?|\.{1,2})?/[\w./${}~-]+|[\w/-]+\.(?:txt|csv|json|md|out|log))"
_COMMANDS = (
    re.compile(r"(?:echo|printf)\s+(?:-[neE]+\s+)*(?P<value>.+?)(?:>>?\s*['\"]?\S+|\|\s*tee\s.*)", re.DOTALL),
    re.compile(r"(?:echo|printf)\s+(?:-[neE]+\s+)*(?P<value>\S.*)", re.DOTALL),
    re.compile(
        r"cat\s+(?:>>?\s*\S+\s+)?<<-?\s*['\"]?(\w+)['\"]?(?:\s*>>?\s*\S+)?\s*\n(?P<value>.*?)\n?\s*\1", re.DOTALL
    ),
    re.compile(r"cat\s*(?:>>?|<<<?)\s*(?P<value>\S.*)", re.DOTALL),
    re.compile(r"print\((?P<value>.*)\)", re.DOTALL),
    re.compile(r"(?P<value>\S.*?)>>?\s*['\"]?" + _TARGET + r"['\"]?"),
)


def command_value(text: str) -> str | None:
    """What a command-shaped answer would have written (`echo 5 > /workdir/answer.txt` → `5`); None for any other."""
    line = text.strip().removeprefix("$ ").strip("`").strip()
    for command in _COMMANDS:
        if found := command.fullmatch(line):
            value = found["value"].strip()
            quoted = _QUOTED.fullmatch(value)
            return (quoted[1] or quoted[2] or "").removesuffix("\\n") if quoted else value
    return None


def without_look_alikes(text: str) -> Edit | None:
    simple = plain(text)
    if simple == text:
        return None
    names = ", ".join(look_alikes(text)) or "letters whose accents stand apart"
    return Edit("look_alike", f"Write plain characters for {names}.", simple)


def without_prefix(text: str) -> Edit | None:
    found = _PREFIX.match(text)
    if not found or not text[found.end() :].strip():
        return None
    return Edit("prefix", f"Leave out “{found[0].strip()}”.", text[found.end() :].strip())


def without_quotes(text: str) -> Edit | None:
    found = _QUOTED.fullmatch(text)
    return found and Edit("quotes", "Leave out the quotes.", _inside(found))


def without_markup(text: str) -> Edit | None:
    if found := _FENCE.fullmatch(text):
        return Edit("markup", "Leave out the code fence.", found[1].strip())
    for pattern, name in _MARKUP:
        if found := pattern.fullmatch(text):
            return Edit("markup", f"Leave out {name}.", _inside(found))
    return None


def without_brackets(text: str) -> Edit | None:
    found = _BRACKETED.fullmatch(text)
    return found and Edit("brackets", "Leave out the brackets.", _inside(found))


def without_closing_mark(text: str) -> Edit | None:
    found = _CLOSING.search(text[-20:])
    if not found:
        return None
    return Edit("punctuation", f"Leave out the “{found[0].strip()}” at the end.", text[: len(text) - len(found[0])])


def value_of_command(text: str) -> Edit | None:
    value = command_value(text)
    return (
        Edit("command", "Give the value alone: the answer is a command that would write it.", value) if value else None
    )


def last_line(text: str) -> Edit | None:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip(" `\t")]
    return Edit("last_line", "Give the last line alone.", lines[-1]) if len(lines) > 1 else None


Layer = Callable[[str], Edit | None]
_WRAPPERS: tuple[Layer, ...] = (
    without_look_alikes,
    without_closing_mark,
    without_quotes,
    without_markup,
    without_brackets,
    without_prefix,
)
LAYERS: tuple[Layer, ...] = (*_WRAPPERS, value_of_command, last_line)


def layers_off(text: str) -> Iterator[Edit]:
    """Every single layer of form that can be taken off `text`."""
    for layer in LAYERS:
        edit = layer(text)
        if edit and edit.text.strip() and edit.text != text:
            yield edit


def tidy(text: str) -> str:
    """`text` trimmed, runs of blanks and of line ends made one: many patterns would be slow on long runs."""
    return re.sub(r"\n\s+", "\n", re.sub(r"[ \t\u00a0]{2,}", " ", text.strip()))


def bare(text: str) -> str:
    """`text` with all wrappers off: look-alikes, prefix, quotes, markup, brackets, closing mark."""
    text = tidy(text)
    for _ in range(_LAYERS_MOST):
        edit = next((edit for layer in _WRAPPERS if (edit := layer(text)) and edit.text.strip()), None)
        if edit is None:
            break
        text = tidy(edit.text)
    return text


def items_in(text: str) -> list[str]:
    """The items of a list written with any separator: a Python or JSON list, lines, `;`, `|`, ` and `."""
    body = text.strip()
    if body[:1] in "[({" and body[-1:] in "])}":
        body = body[1:-1]
    for separator in (r"\n", r";", r"\|", r"\t", r",\s*(?:and|&)\s|,|\s+(?:and|&)\s+", r"\s*/\s*", r"\s+"):
        items = [_item(part) for part in re.split(separator, body)]
        items = [item for item in items if item]
        if len(items) > 1:
            return items
    return [body]


def _item(part: str) -> str:
    part = re.sub(r"^\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)", "", part).strip().rstrip(",").strip()
    found = _QUOTED.fullmatch(part)
    return _inside(found) if found else part


def _inside(found: re.Match[str]) -> str:
    """The last group that took part: what the wrapper held."""
    return next(group for group in reversed(found.groups()) if group is not None).strip()
