"""The evidence of a run while it goes on: a file with a line for each exchange, which is left if the run is killed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

from conformance.evidence import chain
from conformance.http.redaction import without_secrets
from conformance.http.session import Session
from conformance.model.exchange import Exchange
from conformance.reports import files, har

FILE: Final = "evidence.jsonl"


class LiveEvidence:
    """Writes each exchange of a session when it ends, with a digest that includes the one before it.

    The lines are not synced: they survive the end of the process, not that of the machine. Leaving the context removes
    the file, because evidence.har holds the same then. A file that cannot be written is given up: the run goes on.
    """

    def __init__(self, folder: Path, session: Session) -> None:
        self._path = folder / FILE
        self._session = session
        self._entries = har.Entries()
        self._before = ""

    def __enter__(self) -> LiveEvidence:
        """Begin with an empty file."""
        with suppress(OSError):
            self._file = self._path.open("w", encoding="utf-8")
            self._session.record.on_end = self._write
        return self

    _file: IO[str] | None = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the file."""
        file, self._file = self._file, None
        with suppress(OSError):
            if file is not None:
                file.close()
            self._path.unlink(missing_ok=True)

    def _write(self, exchange: Exchange) -> None:
        if self._file is None:
            return
        entry = self._entries.of(without_secrets(exchange, self._session.secrets.redactor))
        entry[chain.DIGEST] = self._before = chain.link(entry, self._before)
        with suppress(OSError):
            self._file.write(f"{json.dumps(entry)}\n")
            self._file.flush()


def is_killed(folder: Path) -> bool:
    """Tell whether a folder holds what a killed run left, and no report."""
    return (folder / FILE).is_file() and not (folder / files.DATA).is_file()


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the exchanges of a run that was killed; its last line may be cut off. Raise ValueError for another file."""
    *lines, last = path.read_text("utf-8").split("\n")
    for line in lines:
        yield json.loads(line)
    with suppress(ValueError):
        yield json.loads(last)
