"""Why a request of a run was not deleted: for the notes of a report, and for the command `cleanup`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conformance.model.errors import in_words, trouble_of, why_it_decides_nothing
from conformance.model.exchange import MISSING, Exchange, Operation
from conformance.model.verdict import Blame


def deletions(exchanges: Iterable[Exchange], request_id: str, owner: str | None) -> list[Exchange]:
    """Return the deletions of a request that its owner asked for, in the order of `exchanges`."""
    return [
        each
        for each in exchanges
        if each.operation is Operation.DELETE and each.request.credential == owner and each.request_id == request_id
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
