"""The difference between an expected and an actual value, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import groupby

from conformance.model.text import clip

LIMIT = 1000
ALIKE = 0.4
"""Share of the shorter text's words that both have, below which two values differ as a whole."""

_WORD = re.compile(r"\w+|\s+|[^\w\s]")

Pieces = list[tuple[bool, str]]
"""A text in pieces, each with whether the other text lacks it."""


def difference(expected: str, actual: str) -> tuple[Pieces, Pieces]:
    """Return both texts in pieces; nothing differs where there is only one text."""
    texts = clip(expected, LIMIT), clip(actual, LIMIT)
    if not all(texts):
        return [(False, texts[0])], [(False, texts[1])]
    left, right = (_WORD.findall(text) for text in texts)
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    equal = matcher.get_matching_blocks()
    common = sum(not word.isspace() for block in equal for word in left[block.a : block.a + block.size])
    if common < ALIKE * min(sum(not word.isspace() for word in words) for words in (left, right)):
        return [(True, texts[0])], [(True, texts[1])]
    common_left = {block.a + step for block in equal for step in range(block.size)}
    common_right = {block.b + step for block in equal for step in range(block.size)}
    return _pieces(left, common_left), _pieces(right, common_right)


def _pieces(words: list[str], common: set[int]) -> Pieces:
    marked = groupby(enumerate(words), lambda pair: pair[0] not in common)
    return [(differs, "".join(word for _, word in run)) for differs, run in marked]
