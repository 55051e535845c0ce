"""The difference between an expected and an actual value, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from conformance.model.text import clip

LIMIT = 1000
ALIKE = 0.4
"""Share of the shorter text's words that both have, below which two values differ as a whole."""

_WORD = re.compile(r"[-+]?\w+(?:[-+.:@']\w+)*|\s+|[^\w\s]")
"""A word, a number, a moment or an identifier; white space; or another character."""

Pieces = list[tuple[bool, str]]
"""A text in pieces, each with whether the other text lacks it."""


def difference(expected: str, actual: str) -> tuple[Pieces, Pieces]:
    """Return both texts in pieces; nothing differs where there is only one text."""
    texts = clip(expected, LIMIT), clip(actual, LIMIT)
    if not all(texts):
        return [(False, texts[0])], [(False, texts[1])]
    left, right = (_WORD.findall(text) for text in texts)
    opcodes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    common = [word for tag, start, end, _, _ in opcodes if tag == "equal" for word in left[start:end]]
    if _size(common) < ALIKE * min(_size(left), _size(right)):
        return [(True, texts[0])], [(True, texts[1])]
    return (
        [(tag != "equal", "".join(left[start:end])) for tag, start, end, _, _ in opcodes if start < end],
        [(tag != "equal", "".join(right[start:end])) for tag, _, _, start, end in opcodes if start < end],
    )


def _size(words: list[str]) -> int:
    return sum(not word.isspace() for word in words)
