"""The files of a run, each of them whole or not there at all."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from conformance.model.text import HAZARD
from conformance.reports import html, junit

NAMES = {"har": "evidence.har", "json": "report.json", "html": "report.html", "junit": "junit.xml"}
"""File name of each format, in the order in which they take their places: data first, views after."""

VIEWS: dict[str, Callable[[dict[str, Any], dict[str, Any]], str]] = {
    "html": lambda report, evidence: html.render(report, evidence),
    "junit": lambda report, _evidence: junit.render(report),
}
"""How each view is made from the report and the evidence."""


class ViewCrashed(Exception):
    """A view cannot be rendered, because of a fault of the suite; its cause is the exception that it raised."""

    def __init__(self, kind: str, error: Exception) -> None:
        super().__init__(f"{NAMES[kind]}: {error!r}")
        self.kind = kind
        self.error = error


def write(
    directory: Path, report: dict[str, Any], evidence: dict[str, Any] | None, formats: Collection[str] = VIEWS
) -> dict[str, Path]:
    """Write the data of a run, and the views named in `formats`, into `directory`; return format → path.

    `report.json` is always written, and so is `evidence.har` where there is evidence. Nothing takes its place before
    every view is made and every file lies whole on the disk, so that a view that fails leaves no verdict behind. Views
    that an earlier run left in `directory` never survive beside new data. Raises OSError when something cannot be
    written, ViewCrashed where a view cannot be rendered, and ValueError for a format that does not exist.
    """
    if unknown := set(formats) - set(NAMES):
        raise ValueError(f"no such format: {', '.join(sorted(unknown))}")
    directory.mkdir(parents=True, exist_ok=True)
    made: dict[str, Iterable[str]] = {}
    if evidence is not None:
        # The evidence, which is the largest, is never in memory as a whole.
        made["har"] = _entry_by_entry(evidence)
    made["json"] = [as_json(report, indent=2)]
    for kind in VIEWS:
        if kind in formats:
            made[kind] = [_rendered(kind, report, evidence or {"log": {"entries": []}})]
    paths = {kind: directory / NAMES[kind] for kind in made}
    with ExitStack() as stack:
        waiting = {kind: stack.enter_context(_written(paths[kind], pieces)) for kind, pieces in made.items()}
        for view in VIEWS:
            (directory / NAMES[view]).unlink(missing_ok=True)
        try:
            for kind in paths:
                waiting[kind].replace(paths[kind])
        except BaseException:
            remove(path for kind, path in paths.items() if not waiting[kind].exists())
            raise
    return paths


def _rendered(kind: str, report: dict[str, Any], evidence: dict[str, Any]) -> str:
    try:
        return VIEWS[kind](report, evidence)
    except Exception as error:
        raise ViewCrashed(kind, error) from error


def remove(paths: Iterable[Path]) -> None:
    """Take files away again, as far as that can be done: what they say is no result."""
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _entry_by_entry(evidence: dict[str, Any]) -> Iterator[str]:
    """Yield what `as_json` makes of `evidence`; in one piece it would take several times the memory of the evidence."""
    frame = as_json({"log": {**evidence["log"], "entries": []}}, indent=None)
    before, _, after = frame.rpartition("[]")
    yield f"{before}["
    for index, entry in enumerate(evidence["log"]["entries"]):
        yield ", " if index else ""
        yield as_json(entry, indent=None).rstrip("\n")
    yield f"]{after}"


def as_json(value: dict[str, Any], *, indent: int | None) -> str:
    """Return `value` as JSON in which lone surrogates and whatever could act on a terminal are escapes."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    # Outside strings JSON has no such character but the line feeds of the indent; inside they are all escapable.
    lines = (line if line.isprintable() else HAZARD.sub(_escape, line) for line in text.split("\n"))
    return "\n".join(lines) + "\n"


def _escape(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


@contextmanager
def _written(path: Path, pieces: Iterable[str]) -> Iterator[Path]:
    """Yield a file of `pieces` that can take the place of `path`, and is gone afterwards where it did not."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            file.writelines(piece.encode("utf-8") for piece in pieces)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)
