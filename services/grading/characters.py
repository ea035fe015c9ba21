"""Characters that look alike: typographic signs, invisible characters and foreign letters as plain ones."""

from __future__ import annotations

import unicodedata

_PLAIN = {ord(sign): "-" for sign in "‐‑‒–—―−﹘﹣－"}
_PLAIN |= {ord(sign): "'" for sign in "‘’‚‛′´"} | {ord(sign): '"' for sign in "“”„‟″«»"}
_PLAIN |= {ord(sign): "/" for sign in "⁄∕"} | {ord("∶"): ":", ord("、"): ",", ord("،"): ",", ord("٬"): ","}
_PLAIN |= {ord("٫"): ".", ord("٪"): "%"}
_PLAIN |= dict.fromkeys([0xAD, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A)], "")
# Cyrillic and Greek letters drawn like Latin ones
_PLAIN |= {
    ord(letter): latin for letter, latin in zip("АВЕЅІЈКМНОРСТХУаеорсухіјѕ", "ABESIJKMHOPCTXYaeopcyxijs", strict=True)
}
_PLAIN |= {ord(letter): latin for letter, latin in zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo", strict=True)}
# Not <super>, <sub> or <fraction>: 10² is not 102.
_ONLY_FORM = ("<wide>", "<narrow>", "<noBreak>", "<compat>", "<font>")


def plain(text: str) -> str:
    """`text` with each character's plain look-alike, invisible characters left out, accents composed."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", "".join(map(_plain_character, text)))


def look_alikes(text: str, most: int = 3) -> list[str]:
    """Names of the first different characters that `plain` changes, as `U+2212 MINUS SIGN`."""
    changed = dict.fromkeys(character for character in text if _plain_character(character) != character)
    return [f"U+{ord(each):04X} {unicodedata.name(each, '(no name)')}" for each in list(changed)[:most]]


def is_sendable(text: str) -> bool:
    """Whether UTF-8 holds `text`: half of a surrogate pair it does not."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def without_accents(text: str) -> str:
    """`text` in its base letters alone."""
    split = unicodedata.normalize("NFD", text)
    return "".join(character for character in split if not unicodedata.combining(character))


def _plain_character(character: str) -> str:
    if character.isascii():
        return character
    if ord(character) in _PLAIN:
        return _PLAIN[ord(character)]
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    if unicodedata.category(character) == "Zs":
        return " "
    if unicodedata.decomposition(character).startswith(_ONLY_FORM):
        return unicodedata.normalize("NFKC", character)
    return character
