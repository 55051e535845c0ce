"""A reader's copy of the specification, split into places: `read`.

The suite contains no copy of the specification. The catalogue names the places on which a requirement rests, and the
edition that it was derived from; a reader's copy of that edition supplies the words. A place is written like this:

    2.3                            the heading of a clause; clause 0 is the preamble
    8, paragraph 1                 a paragraph, counted in its clause; tables and lists are none
    4.1, item 2                    a list item, numbered or with a bullet, counted in its clause
    2.3, table, row 9              a row without the heads of the columns; "table 2" if the clause has two tables
    2.1, table, row 1, Meaning     a cell, by the head of its column
    2.1, table, row 1, Meaning, sentence 3
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from conformance.model.errors import ConfigurationFault

LARGEST: Final = 4 * 1024 * 1024
"""Bytes of the largest text that is read."""

_HEADING: Final = re.compile(r"#{1,6}\s+(?:(?P<clause>\d+(?:\.\d+)*)\.?\s+)?(?P<title>.*)")
_ITEM: Final = re.compile(r"\s*(?P<mark>[-*+]|\d{1,9}[.)])\s+(?P<words>.*)")
_RULE_OF_A_TABLE: Final = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
_BETWEEN_CELLS: Final = re.compile(r"(?<!\\)\|")
_BETWEEN_SENTENCES: Final = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=[^\sa-z])")


class NotASpecification(ConfigurationFault):
    """A file that is no text, or no text in which a clause is found."""


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, a list item or a table of a text."""

    kind: str
    """"heading", "paragraph", "item" or "table"."""
    clause: str
    mark: str = ""
    """What stands before a list item, such as "-" or "2."; the number signs of a heading."""
    heads: tuple[str, ...] = ()
    """The heads of the columns of a table; the whole heading, with its number."""
    rows: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """The cells of each row, and the places of the units in each cell. A paragraph and an item have one cell."""

    @property
    def units(self) -> list[str]:
        """The places of its units, in the order of the text."""
        return [unit for row in self.rows for cell in row for unit in cell]


@dataclass(frozen=True, slots=True)
class Specification:
    """A text of the specification by places."""

    edition: str
    """Digest of the normalised text."""
    words: dict[str, str]
    """The words of each place."""
    blocks: tuple[Block, ...]

    @property
    def units(self) -> list[str]:
        """The places of the smallest units, which together are the text: sentences, items and cells."""
        return [unit for block in self.blocks for unit in block.units]


def read(raw: bytes) -> Specification:
    """Split a text in Markdown into its places; raise NotASpecification for anything else."""
    text = normalised(raw)
    parts = list(_parts(text))
    if all(part.clause == "0" for part in parts):
        raise NotASpecification(
            "Expected the specification in Markdown; received a text without numbered clauses such as '## 1. Purpose'.",
            remedy=_REMEDY,
        )
    tables = Counter(part.clause for part in parts if part.kind == "table")
    words: dict[str, str] = {}
    counted: Counter[tuple[str, str]] = Counter()
    blocks = []
    for part in parts:
        counted[part.clause, part.kind] += 1
        place = f"{part.clause}, {part.kind}"
        if part.kind != "table" or tables[part.clause] > 1:
            place += f" {counted[part.clause, part.kind]}"
        blocks.append(_block(part, place, words))
    return Specification(digest(text), words, tuple(blocks))


def normalised(raw: bytes) -> str:
    """Return a text as the edition counts it; raise NotASpecification for what is no text.

    Neither line ends, a byte order mark, white space at the end of lines and of the text, nor the composition of
    characters make another edition.
    """
    if len(raw) > LARGEST:
        raise NotASpecification(
            f"Expected the specification, of at most {LARGEST:,} bytes; received {len(raw):,} bytes.", remedy=_REMEDY
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotASpecification(
            f"Expected the specification as UTF-8; received a byte that is not UTF-8 at offset {error.start}.",
            remedy=_REMEDY,
        ) from None
    if "\0" in text:
        raise NotASpecification("Expected the specification as text; received a binary file.", remedy=_REMEDY)
    lines = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    whole = "\n".join(line.rstrip() for line in lines).rstrip("\n")
    if not whole.strip():
        raise NotASpecification("Expected the specification; received an empty file.", remedy=_REMEDY)
    return whole


def digest(text: str) -> str:
    """Return the digest of a text, as the catalogue names editions and words."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def sentences(words: str) -> list[str]:
    """Split the words of a paragraph, an item or a cell into sentences."""
    return _BETWEEN_SENTENCES.split(words)


_REMEDY: Final = "Name the unedited text of the specification, in Markdown, as it was published."


@dataclass(slots=True)
class _Part:
    """A heading, paragraph, list item or table, with its clause, what stands before it, and its lines."""

    kind: str
    clause: str
    mark: str
    lines: list[str]


def _block(part: _Part, place: str, words: dict[str, str]) -> Block:
    """Return a part of the text by its places, and add their words."""
    if part.kind == "heading":
        if heading := _HEADING.fullmatch(part.lines[0]):
            words.setdefault(part.clause, heading["title"].strip())
        mark, _, whole = part.lines[0].partition(" ")
        return Block("heading", part.clause, mark, heads=(whole.strip(),))
    if part.kind != "table":
        return Block(part.kind, part.clause, part.mark, rows=((_units(place, " ".join(part.lines), words),),))
    heads, *rows = [_cells(line) for line in part.lines if not _RULE_OF_A_TABLE.fullmatch(line)] or [[]]
    units = []
    for position, row in enumerate(rows, 1):
        here = f"{place}, row {position}"
        cells = list(zip(heads, row, strict=False))
        words[here] = " | ".join(f"{head}: {text}" for head, text in cells if text)
        units.append(tuple(_units(f"{here}, {head}", text, words) if text else () for head, text in cells))
    return Block("table", part.clause, heads=tuple(heads), rows=tuple(units))


def _units(place: str, text: str, words: dict[str, str]) -> tuple[str, ...]:
    """Add the words of a paragraph, an item or a cell, and return the places of its units."""
    parts = {f"{place}, sentence {position}": each for position, each in enumerate(sentences(text), 1)}
    words |= {place: text, **parts}
    return tuple(parts) if len(parts) > 1 else (place,)


def _parts(text: str) -> Iterator[_Part]:
    """Yield the parts of a text; the clause of one is that of the last heading with a number."""
    clause, part = "0", None
    for line in (*text.split("\n"), ""):
        kind, mark, words = _kind_of(line)
        if part is not None:
            if kind == part.kind == "table" or (kind == "paragraph" and part.kind in ("paragraph", "item")):
                part.lines.append(words)
                continue
            yield part
        if heading := _HEADING.fullmatch(line):
            clause = heading["clause"] or clause
        part = _Part(kind, clause, mark, [words]) if kind else None


def _kind_of(line: str) -> tuple[str, str, str]:
    """Return the kind of block that a line begins or continues, what stands before its words, and the words."""
    if not line.strip():
        return "", "", ""
    if _HEADING.fullmatch(line):
        return "heading", "", line
    if line.lstrip().startswith("|"):
        return "table", "", line.strip()
    if item := _ITEM.fullmatch(line):
        return "item", item["mark"], item["words"].strip()
    return "paragraph", "", line.strip()


def _cells(line: str) -> list[str]:
    inner = line.removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _BETWEEN_CELLS.split(inner)]
