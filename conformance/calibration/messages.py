"""The sentences of the suite's tables as messages, for `pybabel extract`: reports quote them, so no code marks them."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Collection, Iterator, Mapping
from typing import BinaryIO

from conformance.reports.language import DATA
from conformance.reports.outcome import LEFT_OPEN

_Message = tuple[int, str, tuple[str, str], list[str]]
"""Line, function, arguments and comments, as Babel takes them."""


def of_tables(
    file: BinaryIO,
    _keywords: Mapping[str, object],
    _comment_tags: Collection[str],
    options: Mapping[str, str],
) -> Iterator[_Message]:
    """Yield the sentences of a table that a translated page shows.

    `table` in the options is "catalogue" (the circumstances of the catalogue, and its open matters with an alert), or
    "constants" (the sentences that a module of Python assigns to its names).
    """
    for text in dict.fromkeys(_TABLES[options["table"]](file.read().decode())):
        yield 0, "pgettext", (DATA, text), []


def _catalogue(text: str) -> Iterator[str]:
    document = tomllib.loads(text)
    yield from document["circumstances"].values()
    yield from (row["statement"].removeprefix(LEFT_OPEN) for row in document["requirement"] if row.get("alert"))


def _constants(text: str) -> Iterator[str]:
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            for each in ast.walk(statement.value):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.value


_TABLES = {"catalogue": _catalogue, "constants": _constants}
