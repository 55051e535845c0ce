"""The further header fields that a gate before the service wants: their values are secrets."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from conformance.http.secrets.forms import DISTINCTIVE
from conformance.http.secrets.own_words import own_words


def distinctive_parts(value: str) -> Iterator[str]:
    """Yield the value and its words, such as what follows a scheme, where they cannot be part of an unrelated text.

    A shorter value, or one that is a word of the suite, would be marked in answers that have nothing to do with it.
    """
    parts = [value, *re.split(r'[\s;,="]+', value)]
    if value.lower().startswith("basic "):
        parts += _of_basic(value[len("basic ") :].strip())
    for each in dict.fromkeys(parts):
        if len(each) >= DISTINCTIVE and each.lower() not in own_words():
            yield each


def _of_basic(credentials: str) -> list[str]:
    """Return name and password as one text, and the password; nothing for what is not Basic (RFC 7617)."""
    try:
        pair = base64.b64decode(credentials, validate=True).decode("utf-8")
    except ValueError:
        return []
    return [pair, pair.partition(":")[2]]
