"""The sentences of the suite's tables as messages, for `pybabel extract`: reports quote them, so no code marks them."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Collection, Iterator, Mapping
from typing import BinaryIO

from conformance.reports.language import DATA

_Message = tuple[int, str, tuple[str, str], list[str]]
"""Line, function, arguments and comments, as Babel takes them."""


def of_tables(
    file: BinaryIO,
    _keywords: Mapping[str, object],
    _comment_tags: Collection[str],
    options: Mapping[str, str],
) -> Iterator[_Message]:
    """Yield the sentences of a table: what a failure means for a person, or what would decide a requirement.

    `table` in the options is "rights" (rights.toml), "decided_by" (the catalogue), or "constants" (the sentences that a
    module of Python assigns to its names).
    """
    for text in dict.fromkeys(_TABLES[options["table"]](file.read().decode())):
        yield 0, "pgettext", (DATA, text), []


def _rights(text: str) -> Iterator[str]:
    document = tomllib.loads(text)
    yield from document["articles"].values()
    yield from (meaning["person"] for meaning in document["meaning"].values())


def _decided_by(text: str) -> Iterator[str]:
    yield from tomllib.loads(text)["decided_by"].values()


def _constants(text: str) -> Iterator[str]:
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            for each in ast.walk(statement.value):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.value


_TABLES = {"rights": _rights, "decided_by": _decided_by, "constants": _constants}
