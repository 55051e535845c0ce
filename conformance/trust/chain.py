"""Digests of a run: each exchange's includes that of the exchange before it, and the report's covers them all.

A digest is SHA-256 over JSON with sorted members and without white space.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any, Final

DIGEST: Final = "_digest"

_LATER: Final = (DIGEST, "_token_had_expired", "_intent")
"""Members of an entry that the run learns after the exchange; the digest of the evidence covers them."""

_as_json: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode

_IN_PIECES: Final = 3
"""Levels of evidence that are written one member after another: its entries together may not fit into memory."""


def digest(value: Any, levels: int = _IN_PIECES) -> str:
    """Return the digest of a JSON value, as "sha256:" and 64 hexadecimal digits.

    The outer `levels` of the value are written one member after another, which needs less memory and takes longer.
    """
    found = hashlib.sha256()
    for piece in _pieces(value, levels):
        found.update(piece.encode("ascii"))
    return f"sha256:{found.hexdigest()}"


def _pieces(value: Any, levels: int) -> Iterator[str]:
    """Yield the JSON of a value, with sorted members and without white space."""
    if levels and isinstance(value, dict):
        yield "{"
        for index, name in enumerate(sorted(value)):
            yield f"{',' if index else ''}{json.dumps(name)}:"
            yield from _pieces(value[name], levels - 1)
        yield "}"
    elif levels and isinstance(value, list | tuple):
        yield "["
        for index, each in enumerate(value):
            yield "," if index else ""
            yield from _pieces(each, levels - 1)
        yield "]"
    else:
        yield _as_json(value)


def link(entry: Mapping[str, Any], before: str) -> str:
    """Return the digest of an exchange, an entry of the HAR document, that ended after the one with digest `before`."""
    return digest([before, {name: value for name, value in entry.items() if name not in _LATER}], levels=0)


def chained(evidence: dict[str, Any]) -> dict[str, Any]:
    """Return a HAR document with the digest of each exchange, in the order in which the exchanges ended."""
    entries = {entry["_id"]: dict(entry) for entry in evidence["log"]["entries"]}
    before = ""
    for entry in sorted(entries.values(), key=itemgetter("_ended")):
        entry[DIGEST] = before = link(entry, before)
    return {"log": {**evidence["log"], "entries": list(entries.values())}}


def sealed(report: dict[str, Any], evidence: dict[str, Any]) -> dict[str, Any]:
    """Return a report with the digests of the evidence and of itself."""
    return resealed({**report, "digests": {"evidence": digest(evidence), "report": ""}})


def resealed(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report with a new digest of itself, after something was added to it."""
    if "digests" not in report:
        return report
    rest = {name: value for name, value in report.items() if name != "digests"}
    return {**rest, "digests": {**report["digests"], "report": digest(rest, levels=0)}}


def unlinked(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield, in words, each exchange that is not linked to the one before; `entries` are in the order of their ends.

    A run that goes on writes other lines between them.
    """
    before = ""
    for number, entry in enumerate(entries, 1):
        if entry.get(DIGEST) != link(entry, before):
            what = f"exchange {entry['_id']}" if "_id" in entry else f"line {number}"
            yield f"the {what}, or the one before it, was altered, added or removed"
        before = entry.get(DIGEST) or ""


def damage(report: dict[str, Any], evidence: dict[str, Any]) -> Iterator[str]:
    """Yield, in words, each part of a run that does not have its digest."""
    digests = report.get("digests") or {}
    rest = {name: value for name, value in report.items() if name != "digests"}
    if digests.get("report") != digest(rest, levels=0):
        yield "report.json was altered"
    yield from unlinked(sorted(evidence["log"]["entries"], key=itemgetter("_ended")))
    if digests.get("evidence") != digest(evidence):
        yield "evidence.har is not the evidence that report.json names"
