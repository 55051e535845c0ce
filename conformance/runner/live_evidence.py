"""The evidence of a run while it goes on: a file with a line for each exchange, which is left if the run is killed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from conformance.evidence import chain
from conformance.http.secrets.written import without_secrets
from conformance.http.session import Session
from conformance.model import unique_keys
from conformance.model.exchange import Exchange, Operation
from conformance.reports import files
from conformance.trace import har

FILE: Final = "evidence.jsonl"


@contextmanager
def live_evidence(folder: Path, session: Session) -> Iterator[None]:
    """Write each exchange of a session when it ends, with a digest that includes the one before it.

    The lines are not synced: they survive the end of the process, not that of the machine. Leaving the context removes
    the file, because evidence.har holds the same then. A file that cannot be written is given up: the run goes on.

    No line is written before GET /data/me was asked for each user: until then the run does not know which values of
    the users to replace. A run of the profile public drops its credentials, and asks nothing of a user. Only the user
    of the process may read the file.
    """
    path, converted, before = folder / FILE, har.Entries(), ""
    unknown = set(session.credentials)
    held: list[Exchange] = []

    def hold(exchange: Exchange) -> None:
        held.append(exchange)
        if exchange.operation is Operation.DATA_ME:
            unknown.discard(exchange.request.credential)
        if unknown.isdisjoint(session.credentials):
            for each in held:
                write(each)
            held.clear()

    def write(exchange: Exchange) -> None:
        nonlocal before
        entry = converted.of(without_secrets(exchange, session.secrets.redactor, session.bodies.keep))
        entry[chain.DIGEST] = before = chain.link(entry, before)
        with suppress(OSError), path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(entry)}\n")

    with suppress(OSError):
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        session.record.on_end = hold
    try:
        yield
    finally:
        session.record.on_end = lambda _: None
        with suppress(OSError):
            path.unlink(missing_ok=True)


def is_killed(folder: Path) -> bool:
    """Tell whether a folder holds what a killed run left, and no report."""
    return (folder / FILE).is_file() and not (folder / files.DATA).is_file()


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the exchanges of a run that was killed; its last line may be cut off. Raise ValueError for another file."""
    *lines, last = path.read_text("utf-8").split("\n")
    for line in lines:
        yield unique_keys.loads(line)
    with suppress(ValueError):
        yield unique_keys.loads(last)
