"""What came of the deletions of a data request that the run created."""

from __future__ import annotations

from conformance.model.findings import in_words
from conformance.model.verdict import Blame
from conformance.traffic.exchange import Exchange, Operation
from conformance.traffic.record import request_id_of
from conformance.traffic.session import Session


def deletions(session: Session, request_id: str, owner: str | None) -> list[Exchange]:
    """Return the deletions of a request that its owner asked for, in their order."""
    return [
        each
        for each in session.record.in_order()
        if each.operation is Operation.DELETE
        and each.question.credential == owner
        and request_id_of(each) == request_id
    ]


def why_it_is_left(session: Session, request_id: str) -> tuple[Blame, str]:
    """Return whom to blame for a request that was not deleted, and in words how its last deletion was answered."""
    asked = deletions(session, request_id, session.journal.live.get(request_id))
    if not asked:
        return Blame.TARGET, "no deletion could be sent, or none was yet"
    answer = asked[-1].answer
    if asked[-1].trouble is not None or answer is None:
        return Blame.NETWORK, f"the deletion got no answer ({asked[-1].trouble_detail})"
    refused = answer.status in (401, 403)
    what = f"the deletion was answered {in_words(asked[-1])}"
    if answer.status == 404 or 200 <= answer.status < 300:
        what += ", yet it could be read afterwards"
    return (Blame.CREDENTIAL, f"{what}; the token may have expired") if refused else (Blame.TARGET, what)
