"""The clean-up: verify deletions at the end of a run."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from conformance.http.session import Session
from conformance.model.errors import ConfigurationFault, NotDecided
from conformance.model.exchange import Intent
from conformance.model.identity import segment


def verify_deletions(session: Session, *, every: bool = False) -> None:
    """Read the doubtful requests and delete those that can be read; a request that can still be read stays live.

    `every`: read each deleted request, because nothing is known of the deletions of the service.
    """
    doubtful = _doubtful(session, every=every)
    _read(session, doubtful)
    if back := {one: label for one, label in doubtful.items() if one in session.journal.live}:
        session.clean_up(insist=True)
        _read(session, back)


def _doubtful(session: Session, *, every: bool) -> dict[str, str]:
    """Return the requests, each with its credential, that may still exist although the journal counts them as deleted.

    These are the requests whose deletion was answered 404 or 410, those whose identifier several creations returned,
    of which one deletion may have removed one, and all others if one of them was seen after its deletion.
    """
    journal = session.journal
    doubtful = journal.lost | {one: label for one, label in journal.gone.items() if one in journal.repeated}
    if every or journal.has_returned:
        doubtful |= journal.gone
    return {one: label for one, label in doubtful.items() if one not in journal.live}


def _read(session: Session, doubtful: dict[str, str]) -> None:
    def read(request_id: str, label: str) -> None:
        with suppress(NotDecided, ConfigurationFault):
            session.send(
                "GET",
                f"/requests/{segment(request_id)}",
                credential=label if label in session.credentials else "user",
                intent=Intent(request="deleted", open=True),
            )

    session.parallel([partial(read, one, label) for one, label in doubtful.items()])
