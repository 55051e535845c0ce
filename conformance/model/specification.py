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
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
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

    def words_of(self, place: str) -> str:
        """Return the words of `place`; raise LookupError if the text has no such place."""
        if place not in self.words:
            raise LookupError(f"The specification has no place called {place!r}.")
        return self.words[place]


def read(raw: bytes) -> Specification:
    """Split a text in Markdown into its places; raise NotASpecification for anything else."""
    text = normalised(raw)
    found = list(_in_clauses(_blocks(text)))
    if all(clause == "0" for clause, _ in found):
        raise NotASpecification(
            "Expected the specification in Markdown; received a text without numbered clauses such as '## 1. Purpose'.",
            remedy=_REMEDY,
        )
    tables = Counter(clause for clause, block in found if block.kind == "table")
    collector = _Collector({clause for clause, number in tables.items() if number > 1})
    blocks = tuple(collector.add(clause, block) for clause, block in found)
    return Specification(digest(text), collector.words, blocks)


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
class _Block:
    """A heading, paragraph, list item or table, with what stands before it and its lines."""

    kind: str
    mark: str
    lines: list[str]


def _in_clauses(blocks: Iterable[_Block]) -> Iterator[tuple[str, _Block]]:
    """Yield each block with its clause: that of the last heading with a number."""
    clause = "0"
    for block in blocks:
        if block.kind == "heading" and (heading := _HEADING.fullmatch(block.lines[0])):
            clause = heading["clause"] or clause
        yield clause, block


@dataclass(slots=True)
class _Collector:
    """The words of the places so far."""

    with_several_tables: Collection[str]
    """The clauses whose tables have a number."""
    words: dict[str, str] = field(default_factory=dict)
    counted: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, clause: str, block: _Block) -> Block:
        """Take the words of a block, and return it by its places."""
        if block.kind == "heading":
            return self._heading(clause, block)
        self.counted[clause, block.kind] += 1
        number = self.counted[clause, block.kind]
        if block.kind == "table":
            several = clause in self.with_several_tables
            return self._table(clause, f"{clause}, table{f' {number}' if several else ''}", block.lines)
        cell = self._units(f"{clause}, {block.kind} {number}", " ".join(block.lines))
        return Block(block.kind, clause, block.mark, rows=((cell,),))

    def _heading(self, clause: str, block: _Block) -> Block:
        heading = _HEADING.fullmatch(block.lines[0])
        if heading is not None:
            self.words.setdefault(clause, heading["title"].strip())
        mark, _, whole = block.lines[0].partition(" ")
        return Block("heading", clause, mark, heads=(whole.strip(),))

    def _table(self, clause: str, table: str, lines: list[str]) -> Block:
        heads, *rows = [_cells(line) for line in lines if not _RULE_OF_A_TABLE.fullmatch(line)] or [[]]
        units = []
        for position, row in enumerate(rows, 1):
            place = f"{table}, row {position}"
            cells = list(zip(heads, row, strict=False))
            self.words[place] = " | ".join(f"{head}: {words}" for head, words in cells if words)
            units.append(tuple(self._units(f"{place}, {head}", words) if words else () for head, words in cells))
        return Block("table", clause, heads=tuple(heads), rows=tuple(units))

    def _units(self, place: str, words: str) -> tuple[str, ...]:
        """Take the words of a paragraph, an item or a cell, and return the places of its units."""
        self.words[place] = words
        parts = {f"{place}, sentence {position}": text for position, text in enumerate(sentences(words), 1)}
        self.words |= parts
        return tuple(parts) if len(parts) > 1 else (place,)


def _blocks(text: str) -> Iterator[_Block]:
    block: _Block | None = None
    for line in text.split("\n"):
        kind, mark, words = _kind_of(line)
        continues = block is not None and (
            (kind == block.kind == "table") or (kind == "paragraph" and block.kind in ("paragraph", "item"))
        )
        if block is not None and continues:
            block.lines.append(words)
            continue
        if block is not None:
            yield block
        block = _Block(kind, mark, [words]) if kind else None
    if block is not None:
        yield block


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
