"""The further header fields that a gate before the service wants: their values are secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.http.secrets.forms import DISTINCTIVE
from conformance.http.secrets.own_words import own_words
from conformance.model.further_headers import pair_of_basic


def distinctive_parts(value: str) -> Iterator[str]:
    """Yield the value and its words, such as what follows a scheme, where they cannot be part of an unrelated text.

    A shorter value, or one that is a word of the suite, would be marked in answers that have nothing to do with it.
    """
    pair = pair_of_basic(value)
    parts = [value, *re.split(r'[\s;,="]+', value), pair, pair.partition(":")[2]]
    for each in dict.fromkeys(parts):
        if len(each) >= DISTINCTIVE and each.lower() not in own_words():
            yield each
