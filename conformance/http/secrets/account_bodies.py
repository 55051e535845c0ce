"""The body of an answer of GET /data/me with pseudonyms in place of its values: JSON, markup or any other text.

The names of members, tags and attributes are values too, unless the interface has them: an account may be a map whose
keys are addresses. Tags and attributes keep names that are words of the suite, among which are those of HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from conformance.http.secrets.escapes import JSON, Edit, edited, edits_of, unescaped
from conformance.http.secrets.forms import fold
from conformance.http.secrets.own_words import names_in_own_words
from conformance.http.secrets.pseudonyms import Pseudonyms
from conformance.schema.documents import member_names

_IN_STRING: Final = r'(?:[^"\\]|\\.)*+'
_PLAIN: Final = (
    r"(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<word>true|false|null|NaN|Infinity)\b|(?P<other>[^\W\d_]+)"
)
# No string ends after one without an end. So that one takes the rest, or each escaped quote in it would be tried.
_PIECE: Final = re.compile(
    rf'(?P<name>"{_IN_STRING}"(?=\s*:))|(?P<string>"{_IN_STRING}")|(?P<open>".*)|{_PLAIN}', re.DOTALL
)
_OUTSIDE_STRINGS: Final = re.compile(_PLAIN)
_IN_TEXT: Final = re.compile(
    rb"""(?i:<!doctype|<\?xml)[^<>]*+>"""
    rb"""|</?(?P<tag>[^\s<>/="]++)|(?<=\s)(?P<attribute>[^\s<>/="',;|:]++)(?==)"""
    rb"""|(?P<text>[0-9A-Za-z\x80-\xff+(](?:[^<>"=,;|\t\r\n:]|:(?!\s))*+)"""
)
"""The pieces of markup, of a table, or of lines of names and values. The declaration of a document stays."""


def with_pseudonyms(
    body: bytes, pseudonyms: Pseudonyms, of: Callable[[str], str], learn: Callable[[str, str], None]
) -> bytes:
    """Return a body with what `of` returns for each text in it; `learn` takes each value and its pseudonym."""
    text = _text(body)
    bare = text.strip("\ufeff \t\r\n")
    if bare[:1] in ("{", "[", '"', "-") or bare[:1].isdigit() or bare in ("null", "true", "false"):
        return _bytes(_PIECE.sub(_Json(pseudonyms, of, learn).of_piece, text))
    said = unescaped(body)
    pieces = (each for each in _IN_TEXT.finditer(said) if each.lastgroup)
    edits = [edit for each in pieces if (edit := _edit_of_piece(each, of, learn))]
    return edited(body, edits_of(body, edits))


def _edit_of_piece(piece: re.Match[bytes], of: Callable[[str], str], learn: Callable[[str, str], None]) -> Edit | None:
    kind = str(piece.lastgroup)
    value = _text(piece[kind]).rstrip("' .!?")
    if value in member_names() or (kind != "text" and fold(value) in names_in_own_words()):
        return None
    replaced = of(value)
    learn(value, replaced)
    start = piece.start(kind)
    return Edit(start, start + len(_bytes(value)), _bytes(replaced))


@dataclass(frozen=True)
class _Json:
    """Replaces the pieces of JSON, which may be malformed."""

    pseudonyms: Pseudonyms
    of: Callable[[str], str]
    learn: Callable[[str, str], None]

    def of_piece(self, piece: re.Match[str]) -> str:
        raw = piece[0]
        match piece.lastgroup:
            case "name" | "string":
                return self._of_string(raw, is_name=piece.lastgroup == "name")
            case "number":
                replaced = self.pseudonyms.of_number(raw)
                self.learn(raw, replaced)
                return replaced
            case "other":
                return self.pseudonyms.of(raw)
            case "open":
                return f'"{_OUTSIDE_STRINGS.sub(self.of_piece, raw[1:])}'
        return raw

    def _of_string(self, raw: str, *, is_name: bool) -> str:
        written = _bytes(raw[1:-1])
        said = unescaped(written, JSON)
        value = _text(said)
        if is_name and value in member_names():
            return raw
        # A name that stayed, because it is public, could be the pseudonym of another one, which would then come twice.
        replaced = self.pseudonyms.of(value) if is_name else self.of(value)
        self.learn(value, replaced)
        edits = edits_of(written, [Edit(0, len(said), _bytes(replaced))], JSON)
        return f'"{_text(edited(written, edits))}"'


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
