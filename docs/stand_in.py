"""A text with the places of the specification and other words, for pictures, examples and tests."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from conformance.model.clauses import TITLES
from conformance.model.specification import Specification, read
from conformance.model.specification_places import places


def specification() -> Specification:
    """Return the text, split into the places that the edition of the suite has."""
    return read(text().encode())


def text() -> str:
    """Return the text in Markdown: each sentence, item and cell has a number of its own in place of its words."""
    words = {unit: f"Words {number}" for number, unit in enumerate(places().digests, 1)}
    blocks = ["# A text with the places of the specification, and other words"]
    for clause, units in groupby(words, key=lambda unit: unit.partition(", ")[0]):
        chapter, _, part = clause.partition(".")
        blocks += [f"## {chapter}. Chapter {chapter}"] if part == "1" else []
        blocks += [f"{'###' if part else '##'} {clause}. {TITLES[clause]}"] if clause != "0" else []
        blocks += _blocks(list(units), words)
    return "\n\n".join(blocks) + "\n"


def _blocks(units: list[str], words: dict[str, str]) -> Iterator[str]:
    for block, inside in groupby(units, key=lambda unit: unit.split(", ")[1]):
        if not block.startswith("table"):
            sentences = " ".join(f"{words[unit]}." for unit in inside)
            yield f"- {sentences}" if block.startswith("item") else sentences
            continue
        rows = [list(row) for _, row in groupby(inside, key=lambda unit: unit.split(", ")[2])]
        heads = list(dict.fromkeys(unit.split(", ")[3] for row in rows for unit in row))
        lines = [heads, ["---"] * len(heads), *(_cells(row, heads, words) for row in rows)]
        yield "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cells(row: list[str], heads: list[str], words: dict[str, str]) -> list[str]:
    columns = [[words[unit] for unit in row if unit.split(", ")[3] == head] for head in heads]
    return [" ".join(f"{each}." for each in column) if len(column) > 1 else column[0] for column in columns]
