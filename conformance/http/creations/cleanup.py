"""The clean-up: verify deletions at the end of a run, and explain what is left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial

from conformance.http.session import Session
from conformance.model.errors import ConfigurationFault, NotDecided, in_words, trouble_of, why_it_decides_nothing
from conformance.model.exchange import MISSING, Exchange, Intent, Operation, request_id_of
from conformance.model.identity import segment
from conformance.model.verdict import Blame


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


def deletions(exchanges: Iterable[Exchange], request_id: str, owner: str | None) -> list[Exchange]:
    """Return the deletions of a request that its owner asked for, in the order of `exchanges`."""
    return [
        each
        for each in exchanges
        if each.operation is Operation.DELETE and each.request.credential == owner and request_id_of(each) == request_id
    ]


def explain_leftover(exchanges: Sequence[Exchange], request_id: str, owner: str | None) -> tuple[Blame, str]:
    """Return the blame for a request that was not deleted, and in words the answer to its last deletion."""
    asked = deletions(exchanges, request_id, owner)
    if not asked:
        return Blame.TARGET, "no deletion could be sent, or none was yet"
    answer = asked[-1].response
    if answer is None or not asked[-1].counts:
        blame, _ = why_it_decides_nothing(asked[-1])
        return blame, f"the deletion got no usable answer ({trouble_of(asked[-1])})"
    what = f"the deletion was answered {in_words(asked[-1])}"
    if 200 <= answer.status < 300 or answer.status in MISSING:
        what += ", yet it could be read afterwards"
    if answer.status not in (401, 403):
        return Blame.TARGET, what
    perhaps = "; the token may have expired" if answer.status == 401 else ""
    return Blame.CREDENTIAL, f"{what}{perhaps}"
