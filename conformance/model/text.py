"""Texts of findings: numbers in words, and what a target sent, shortened and without the secrets of the run."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from string import ascii_lowercase, ascii_uppercase
from typing import Final

_LOWER: Final = str.maketrans(ascii_uppercase, ascii_lowercase)


def count(number: int, noun: str) -> str:
    """Return `number` with `noun` and a plural s where needed: "1 request", "2,000 requests"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: "A", "A and B", "A, B and C"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def did_you_mean(wanted: str, known: Iterable[str], otherwise: str) -> str:
    """Return a question for the known names that are close to `wanted`, or `otherwise` if none is."""
    near = difflib.get_close_matches(wanted, list(known), n=3)
    return f"Did you mean {' or '.join(near)}?" if near else otherwise


def odds(probability: float) -> str:
    """Return a probability in words: "once in 40 runs", or "once in 10^17 runs"."""
    if probability > 0.95:
        return "in almost every run"
    if probability >= 0.1:
        return f"in {max(1, round(10 * probability))} of 10 runs"
    if probability >= 1e-4:
        return f"once in {round(1 / probability)} runs"
    return f"once in 10^{min(60, math.floor(-math.log10(max(probability, 1e-60))))} runs"


_clean: Callable[[str], str] = str
"""Returns a text with each secret of the run replaced by its mark, and each personal value by its pseudonym."""


def hide(clean: Callable[[str], str]) -> None:
    """Let `shorten` replace the secrets of the run that begins."""
    global _clean
    _clean = clean


def shorten(text: str, limit: int = 200) -> str:
    """Return `text` without secrets, cut to `limit` characters with "…" at the end when it is longer.

    Secrets are replaced first: half a secret could not be recognised afterwards. A text that never contained the secret
    but its mark is cut at the same place.
    """
    size = limit + LONGEST_TEXT
    # The last characters may be the beginning of a secret that goes on behind them.
    while len(text) > size and len(clean := _clean(text[:size])) < limit + LONGEST_TEXT:
        size *= 2
    clean = clean if len(text) > size else _clean(text)
    return clean if len(clean) <= limit else f"{clean[: limit - 1]}…"


LONGEST_TEXT: Final = 50_000
"""Characters of a text that a person may see: more than the longest form of a secret, so that one that begins before a
cut is found."""


def in_json(value: object, limit: int = 200) -> str:
    """Return a value of a document as JSON, shortened to `limit` characters."""
    shown = ""
    for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):  # a huge value is not written completely
        shown += escaped(piece[:LONGEST_TEXT])
        if len(shown) > LONGEST_TEXT:
            break
    return shorten(shown, limit)


def member_in_json(document: Mapping[str, object], name: str, limit: int = 200) -> str:
    """Return a member of an object as JSON, or "absent"."""
    return in_json(document[name], limit) if name in document else "absent"


def escaped(text: str) -> str:
    """Return a text with the escape of JSON for each character that is not printable."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)


def quoted(body: bytes, limit: int = 200) -> str:
    """Return a body in quotation marks, which show where it ends, shortened to `limit` characters."""
    return f"'{shorten(body.decode('utf-8', 'backslashreplace'), limit)}'"


def alike(text: str) -> str:
    """Return a text without moments and identifiers of requests: the same for texts that differ only in these."""
    return _OF_ONE_CALL.sub("…", text)


_OF_ONE_CALL: Final = re.compile(
    r"(?<![\w.:+-])(?=[\w.:+-]*\d)[\w.:+-]{8,}…?"  # a moment, or an identifier, perhaps shortened
    r"|\b\d+(?=\x20(?:s|min|h|days?)\b)"  # a time between two moments
)
"""What differs in a message from one call to the next, and is no other deviation."""


def time_in_words(seconds: float) -> str:
    """Return a time in words, such as "12 s" or "5 min"."""
    for name, unit in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.2g} s" if seconds < 1 else f"{seconds:.0f} s"


_VARYING: Final = re.compile(r"(?<![\w.:+-])[\w.:+-]*\d[\w.:+-]*")
"""A word with a digit, such as a moment or the number of a call."""


def without_varying(text: str) -> str:
    """Return a text with 0 in place of each word that has a digit."""
    return _VARYING.sub("0", text)


def misspelt(name: str, others: Iterable[str]) -> str:
    """Return which of some other names stands for `name`: in another notation, or else a little misspelt; "" for none.

    The first 100 are compared: a service decides how many there are, and comparing takes time.
    """
    short = [each for each in islice(others, 100) if each != name and len(each) <= 2 * len(name)]
    alike = [each for each in short if _bare(name) in (_bare(each), f"is{_bare(each)}")]  # Jackson omits is of a getter
    return next(iter(alike or difflib.get_close_matches(name, short, n=1, cutoff=0.8)), "")


def _bare(name: str) -> str:
    """Return a name without what notations differ in, such as maxNumberOfRequests and max_number_of_requests."""
    return re.sub(r"[\s_-]", "", name.casefold())


def encode(text: str) -> bytes:
    """Return a text in UTF-8, also if it contains half of a surrogate pair."""
    return text.encode("utf-8", "surrogatepass")


def fold(text: str) -> str:
    """Return `text` in lower case (ASCII)."""
    return text.translate(_LOWER)
