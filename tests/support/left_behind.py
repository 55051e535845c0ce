"""What a run that was killed leaves: data requests, and the journal that names them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from cli_services import OTHER_TOKEN, TOKEN, Served

from conformance.http.creations.journal import Journal
from conformance.http.creations.owners import marks_of
from conformance.http.session import Session
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.transport import BoundedTransport
from conformance.model.target import Target, Token


def left_behind(
    service: Served,
    folder: Path,
    *labels: str,
    user: str = TOKEN,
    other: str = OTHER_TOKEN,
    seal: Callable[[str], str] | None = None,
) -> list[str]:
    """Create a data request with each credential, journaled in `folder`, and return their identifiers."""
    folder.mkdir(parents=True, exist_ok=True)
    target = Target(base_url=service.base_url, user=Token(user), other=Token(other) if other else None)
    journal = Journal(folder / "journal.jsonl", seal=seal)
    session = Session(target, transport=BoundedTransport(bounds=Limits()), journal=journal)
    journal.begin(service.base_url, datetime.now(UTC), marks_of(target))
    for label in labels:
        session.send("POST", "/requests", credential=label)
    session.close()
    return list(journal.live)
