"""Deletions of the requests that a run created and no longer needs."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from conformance.http.noise import GIVES_UP_AFTER
from conformance.model.errors import ConfigurationFault, NotDecided
from conformance.model.exchange import CONFLICTS, Exchange, Intent
from conformance.model.identity import segment

if TYPE_CHECKING:
    from conformance.http.session import Session


def remove_all(session: Session, *, insist: bool) -> None:
    """Delete the requests of the run that still exist, except those that only its end deletes.

    The run cannot keep a request whose identifier others have. A request whose deletion failed three times is tried
    again only with `insist`, at the end of the run.
    """
    live, failures = session.journal.live, session.deletion_failures
    kept = session.kept - session.journal.repeated.keys()
    doomed = [one for one in live if insist or (one not in kept and failures[one] < GIVES_UP_AFTER)]
    doomed.sort(key=lambda one: (live[one], one))  # the journal has them in the order of the answers
    deletions = session.parallel([partial(_remove, session, request_id, live[request_id]) for request_id in doomed])
    for request_id, deletion in zip(doomed, deletions, strict=True):
        # Some services refuse a deletion beside another one.
        if deletion is not None and deletion.response is not None and deletion.response.status in CONFLICTS:
            remove(session, request_id)
    failures.update(request_id for request_id in doomed if request_id in session.journal.live)


def remove(session: Session, request_id: str) -> None:
    """Delete a request that the run created, unless it is deleted already."""
    label = session.journal.live.get(request_id)
    if label is not None:
        _remove(session, request_id, label)


def _remove(session: Session, request_id: str, label: str) -> Exchange | None:
    known = label if label in session.credentials else "user"
    session.journal.is_deleted_by(request_id, known)
    # Without a token the request is left behind, and the report says so.
    with suppress(NotDecided, ConfigurationFault):
        delete = partial(session.send, "DELETE", f"/requests/{segment(request_id)}", credential=known)
        deletion = delete(intent=Intent(request="clean-up"))
        # Where several requests have this identifier, each deletion removes one of them.
        while request_id in session.journal.partly_gone and _is_confirmed(deletion):
            deletion = delete(intent=Intent(request="clean-up"))
        return deletion
    return None


def _is_confirmed(deletion: Exchange) -> bool:
    return deletion.response is not None and 200 <= deletion.response.status < 300
