"""The last look at the requests that the run deleted: those that may still exist are read, and deleted once more."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Final

from conformance.model.findings import ConfigurationFault, NotDecided
from conformance.model.requirements import catalogue
from conformance.traffic.segment import segment
from conformance.traffic.session import Session

_OF_DELETIONS: Final = ("3", "4.3")
"""Clauses of which a broken demand makes every deletion of the run doubtful."""


def make_sure(session: Session) -> None:
    """Read the doubtful requests and delete those that can be read; what can be read even then stays live."""
    doubtful = _doubtful(session)
    _read(session, doubtful)
    if back := {one: label for one, label in doubtful.items() if one in session.journal.live}:
        session.clean_up(insist=True)
        _read(session, back)


def _doubtful(session: Session) -> dict[str, str]:
    """Return the requests, each with its credential, that may still exist although the journal takes them to be gone.

    These are the requests whose deletion was answered 404, those whose identifier was given to several creations, of
    which one deletion may have removed one, and all others where the deletions of the service are broken.
    """
    journal, rows = session.journal, catalogue().rows
    doubtful = journal.lost | {one: label for one, label in journal.gone.items() if one in journal.repeated}
    if any(rows[one].clause in _OF_DELETIONS for one in session.broken):
        doubtful |= journal.gone
    return {one: label for one, label in doubtful.items() if one not in journal.live}


def _read(session: Session, doubtful: dict[str, str]) -> None:
    def read(request_id: str, label: str) -> None:
        with suppress(NotDecided, ConfigurationFault):
            session.send(
                "GET",
                f"/requests/{segment(request_id)}",
                credential=label if label in session.credentials else "user",
                facts={"request": "deleted", "open": True},
            )

    session.side_by_side([partial(read, one, label) for one, label in doubtful.items()])
