"""The last look at files before they are published: they contain no token, in any form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from conformance.http.forms import DISTINCTIVE
from conformance.http.redaction import Redactor

_PIECE: Final = 1 << 20
"""Bytes of a file that are read at a time."""


def kind_in(path: Path, tokens: Iterable[tuple[str, str]]) -> str:
    """Return the kind of the first form in which a file contains a token; "" if it contains none.

    `tokens` are pairs of label and value. A token that is a word of the suite's own pages is not looked for.
    """
    sought = [
        (label, value) for label, value in tokens if len(value) >= DISTINCTIVE and value.lower() not in own_words()
    ]
    redactor, before = Redactor(sought), b""
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            if kind := redactor.kind_in(before + piece):
                return kind
            # A form may begin in one piece and end in the next.
            before = (before + piece)[-4 * redactor.longest :]
    return ""


@cache
def own_words() -> str:
    """The texts of the suite, from which its messages, its requests and its pages are made, in lower case."""
    return "\n".join([*_texts(files("conformance")), *_texts(files("conformance.schemas"))]).lower()


def _texts(folder: Traversable) -> Iterator[str]:
    for each in folder.iterdir():
        if each.is_dir():
            # The reference service and its variants speak as services do.
            yield from () if each.name in ("reference", "calibration") else _texts(each)
        elif each.name.endswith((".py", ".toml", ".json", ".html", ".js", ".css")):
            yield each.read_text("utf-8")
