"""The body of an answer of GET /data/me with pseudonyms in place of its values: JSON, markup or any other text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from conformance.http.secrets.pseudonyms import Pseudonyms

_IN_STRING: Final = r'(?:[^"\\]|\\.)*+'
_PLAIN: Final = (
    r"(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<word>true|false|null|NaN|Infinity)\b|(?P<other>[^\W\d_]+)"
)
# No string ends after one without an end. So that one takes the rest, or each escaped quote in it would be tried.
_PIECE: Final = re.compile(
    rf'(?P<name>"{_IN_STRING}"(?=\s*:))|(?P<string>"{_IN_STRING}")|(?P<open>".*)|{_PLAIN}', re.DOTALL
)
_OUTSIDE_STRINGS: Final = re.compile(_PLAIN)
_TAG: Final = r"</?[A-Za-z][\w:-]*|\s[\w:-]++(?==)"
_MARKUP: Final = re.compile(rf"(<!doctype[^>]*>|{_TAG})", re.IGNORECASE)
_MARKUP_WITHOUT_END: Final = re.compile(rf"({_TAG})", re.IGNORECASE)
"""For the text after the last `>`, where each `<!doctype` would search the whole rest for its end."""
_UNIT: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)


def with_pseudonyms(
    body: bytes, pseudonyms: Pseudonyms, of: Callable[[str], str], learn: Callable[[str, str], None]
) -> bytes:
    """Return a body with what `of` returns for each text in it; `learn` takes each value of JSON and its pseudonym."""
    text = body.decode("utf-8", "surrogateescape")
    bare = text.strip("\ufeff \t\r\n")
    if bare[:1] in ("{", "[", '"', "-") or bare[:1].isdigit() or bare in ("null", "true", "false"):
        text = _PIECE.sub(_Json(pseudonyms, of, learn).of_piece, text)
    else:
        parts = _in_parts(text)
        parts[::2] = map(of, parts[::2])
        text = "".join(parts)
    return text.encode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class _Json:
    """Replaces the pieces of JSON, which may be malformed."""

    pseudonyms: Pseudonyms
    of: Callable[[str], str]
    learn: Callable[[str, str], None]

    def of_piece(self, piece: re.Match[str]) -> str:
        raw = piece[0]
        match piece.lastgroup:
            case "string":
                return self._of_string(raw)
            case "number":
                replaced = self.pseudonyms.of_number(raw)
                self.learn(raw, replaced)
                return replaced
            case "other":
                return self.pseudonyms.of(raw)
            case "open":
                return f'"{_OUTSIDE_STRINGS.sub(self.of_piece, raw[1:])}'
        return raw

    def _of_string(self, raw: str) -> str:
        if "\\" not in raw:
            replaced = self.of(raw[1:-1])
            self.learn(raw[1:-1], replaced)
            return f'"{replaced}"'
        units = _UNIT.findall(raw[1:-1])
        value = "".join(map(_character, units))
        replaced = self.of(value)
        self.learn(value, replaced)
        pairs = zip(units, replaced, strict=True)
        return f'"{"".join(_written(unit, letter) for unit, letter in pairs)}"'


def _in_parts(text: str) -> list[str]:
    """Return a text that is no JSON in parts: every second one is a tag or the name of an attribute."""
    end = text.rfind(">") + 1
    parts, rest = _MARKUP.split(text[:end]), _MARKUP_WITHOUT_END.split(text[end:])
    return [*parts[:-1], parts[-1] + rest[0], *rest[1:]]


def _character(unit: str) -> str:
    if len(unit) == 1:
        return unit
    try:
        return str(json.loads(f'"{unit}"'))
    except ValueError:  # no escape of JSON
        return "\\"


def _written(unit: str, letter: str) -> str:
    """Return a letter as `unit` is written: as it is, or as an escape."""
    if len(unit) == 1:
        return letter
    if unit[1] != "u" or not letter.isalnum():
        return unit
    escaped = "".join(f"\\u{unit}" for unit in letter.encode("utf-16-be").hex(" ", 2).split())
    return escaped if unit.islower() else escaped.upper().replace("\\U", "\\u")
