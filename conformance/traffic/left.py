"""Why a data request of the run is still there at its end."""

from __future__ import annotations

from conformance.expect import in_words
from conformance.traffic.exchange import Operation
from conformance.traffic.record import request_id_of
from conformance.traffic.session import Session
from conformance.verdict import Blame


def why_it_is_left(session: Session, request_id: str) -> tuple[Blame, str]:
    """Return whom to blame for a request that was not deleted, and in words how its last deletion was answered."""
    owner = session.journal.live.get(request_id)  # what others are told of it is another matter
    asked = [
        each
        for each in session.record.in_order()
        if each.operation is Operation.DELETE
        and each.question.credential == owner
        and request_id_of(each) == request_id
    ]
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
