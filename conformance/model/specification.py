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
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from conformance.model.errors import ConfigurationFault

LARGEST: Final = 4 * 1024 * 1024
"""Bytes of the largest text that is read."""

_HEADING: Final = re.compile(r"#{1,6}\s+(?:(?P<clause>\d+(?:\.\d+)*)\.?\s+)?(?P<title>.*)")
_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?P<words>.*)")
_RULE_OF_A_TABLE: Final = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
_BETWEEN_CELLS: Final = re.compile(r"(?<!\\)\|")
_BETWEEN_SENTENCES: Final = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=[^\sa-z])")


class NotASpecification(ConfigurationFault):
    """A file that is no text, or no text in which a clause is found."""


@dataclass(frozen=True, slots=True)
class Specification:
    """A text of the specification by places."""

    edition: str
    """Digest of the normalised text."""
    words: dict[str, str]
    """The words of each place."""
    units: tuple[str, ...]
    """The places of the smallest units: sentences, and cells and items of one sentence. Together they are the text."""

    def words_of(self, place: str) -> str:
        """Return the words of `place`; raise LookupError if the text has no such place."""
        if place not in self.words:
            raise LookupError(f"The specification has no place called {place!r}.")
        return self.words[place]


def read(raw: bytes) -> Specification:
    """Split a text in Markdown into its places; raise NotASpecification for anything else."""
    text = normalised(raw)
    collector = _Collector()
    for block in _blocks(text):
        collector.add(block)
    if collector.clause == "0":
        raise NotASpecification(
            "Expected the specification in Markdown; received a text without numbered clauses such as '## 1. Purpose'.",
            remedy=_REMEDY,
        )
    return Specification(digest(text), collector.words, tuple(collector.units))


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
    """A heading, paragraph, list item or table, with its lines."""

    kind: str
    lines: list[str]


@dataclass(slots=True)
class _Collector:
    """The places of the blocks so far."""

    words: dict[str, str] = field(default_factory=dict)
    units: list[str] = field(default_factory=list)
    clause: str = "0"
    counted: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, block: _Block) -> None:
        if block.kind == "heading":
            self._heading(block.lines[0])
        elif block.kind == "table":
            self._table(block.lines)
        else:
            self._unit(f"{self.clause}, {block.kind} {self._count(block.kind)}", " ".join(block.lines))

    def _heading(self, line: str) -> None:
        heading = _HEADING.fullmatch(line)
        if heading is None:
            return
        self.clause = heading["clause"] or self.clause
        self.words.setdefault(self.clause, heading["title"].strip())

    def _table(self, lines: list[str]) -> None:
        heads, *rows = [_cells(line) for line in lines if not _RULE_OF_A_TABLE.fullmatch(line)] or [[]]
        number = self._count("table")
        if number == 2:
            self._name_the_first_table()
        table = f"{self.clause}, table" + (f" {number}" if number > 1 else "")
        for position, row in enumerate(rows, 1):
            place = f"{table}, row {position}"
            cells = [(head, words) for head, words in zip(heads, row, strict=False) if words]
            self.words[place] = " | ".join(f"{head}: {words}" for head, words in cells)
            for head, words in cells:
                self._unit(f"{place}, {head}", words)

    def _name_the_first_table(self) -> None:
        """Call the first table of the clause "table 1": it has got a second one."""
        alone, numbered = f"{self.clause}, table, ", f"{self.clause}, table 1, "

        def renamed(place: str) -> str:
            return numbered + place.removeprefix(alone) if place.startswith(alone) else place

        self.words = {renamed(place): words for place, words in self.words.items()}
        self.units = [renamed(place) for place in self.units]

    def _unit(self, place: str, words: str) -> None:
        self.words[place] = words
        parts = sentences(words)
        for position, sentence in enumerate(parts, 1):
            self.words[f"{place}, sentence {position}"] = sentence
        self.units += (
            [f"{place}, sentence {position}" for position in range(1, len(parts) + 1)] if parts[1:] else [place]
        )

    def _count(self, kind: str) -> int:
        number = self.counted.get((self.clause, kind), 0) + 1
        self.counted[self.clause, kind] = number
        return number


def _blocks(text: str) -> Iterator[_Block]:
    block: _Block | None = None
    for line in text.split("\n"):
        kind, words = _kind_of(line)
        continues = block is not None and (
            (kind == block.kind == "table") or (kind == "paragraph" and block.kind in ("paragraph", "item"))
        )
        if block is not None and continues:
            block.lines.append(words)
            continue
        if block is not None:
            yield block
        block = _Block(kind, [words]) if kind else None
    if block is not None:
        yield block


def _kind_of(line: str) -> tuple[str, str]:
    if not line.strip():
        return "", ""
    if _HEADING.fullmatch(line):
        return "heading", line
    if line.lstrip().startswith("|"):
        return "table", line.strip()
    if item := _ITEM.fullmatch(line):
        return "item", item["words"].strip()
    return "paragraph", line.strip()


def _cells(line: str) -> list[str]:
    inner = line.removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _BETWEEN_CELLS.split(inner)]
