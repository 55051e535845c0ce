"""Whether what the run deleted is gone: where that is in doubt its ledger does not take the service's word for it."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Final

from conformance.expect import Undecided
from conformance.requirements import catalogue
from conformance.target import ConfigurationFault
from conformance.traffic.segment import segment
from conformance.traffic.session import Session

_OF_DELETIONS: Final = ("3", "4.3")
"""Clauses of which a broken demand makes every deletion of the run doubtful."""


def make_sure(session: Session) -> None:
    """Read once more what nobody knows to be gone, and delete what is there; what is there even then stays live."""
    doubtful = _doubtful(session)
    _read(session, doubtful)
    if back := {one: label for one, label in doubtful.items() if one in session.journal.live}:
        session.clean_up(insist=True)
        _read(session, back)


def _doubtful(session: Session) -> dict[str, str]:
    """Return what the service did not know when it was to be deleted, and all else where its deletions are broken."""
    journal, rows = session.journal, catalogue().rows
    doubtful = dict(journal.lost)
    if any(rows[one].clause in _OF_DELETIONS for one in session.broken):
        doubtful |= journal.gone
    return {one: label for one, label in doubtful.items() if one not in journal.live}


def _read(session: Session, doubtful: dict[str, str]) -> None:
    def read(request_id: str, label: str) -> None:
        with suppress(Undecided, ConfigurationFault):
            session.send(
                "GET",
                f"/requests/{segment(request_id)}",
                credential=label if label in session.credentials else "user",
                facts={"request": "deleted", "open": True},
            )

    session.side_by_side([partial(read, one, label) for one, label in doubtful.items()])
