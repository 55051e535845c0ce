"""The suite's own words, which are no personal values and no secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable


@cache
def own_words() -> str:
    """The texts of the suite, from which its messages, its requests and its pages are made, in lower case."""
    return "\n".join([*_texts(files("conformance")), *_texts(files("conformance.schemas"))]).lower()


@cache
def names_in_own_words() -> frozenset[str]:
    """The words of these texts that a member, a tag or an attribute may have as its name."""
    return frozenset(re.findall(r"[a-z][a-z_-]*", own_words()))


def _texts(folder: Traversable) -> Iterator[str]:
    for each in folder.iterdir():
        if each.is_dir():
            # The reference service and its variants speak as services do.
            yield from () if each.name in ("reference", "calibration") else _texts(each)
        elif each.name.endswith((".py", ".toml", ".json", ".html", ".js", ".css")):
            yield each.read_text("utf-8")
