"""Server errors that come now and then: the same call is answered when it is repeated (7).

Clause 7 shows no 5xx, and a service that fails once in a while still has the operation. So such an error is an alert
with its rate, and no failure of the requirement on the status. The transport repeats each call that it may concern.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from conformance.facts.answers import refuses_an_offered_token
from conformance.facts.due import NO_FACTS, Facts, due
from conformance.model.exchange import ErrorKind, Exchange, Operation, request_id_of, state_of

_ONE_IN: Final = 10
"""At most one deletion in this number fails now and then."""


def now_and_then(exchanges: Sequence[Exchange], facts: Facts = NO_FACTS) -> frozenset[str]:
    """Return the ids of the server errors that came now and then, given the exchanges in their order.

    The call was answered when the run sent it again. A call that fails always, or with one body or header only, has a
    cause in the call: its requirement fails.
    """
    if not any(map(is_server_error, exchanges)):
        return frozenset()
    again = {each.repeats: each for each in exchanges if each.repeats}
    passing = {each.id for each in exchanges if is_server_error(each) and _is_answered(each, again, facts)}
    return frozenset(passing | {each.id for each in _deletions_in_effect(exchanges, again)})


def _deletions_in_effect(exchanges: Sequence[Exchange], again: Mapping[str, Exchange]) -> Iterable[Exchange]:
    """Yield the deletions that failed now and then, but removed the request: sent again, they found none.

    The same deletion cannot be answered with 200 any more. So deletions of other requests in the same state decide:
    most of them are answered correctly, one of them later.
    """
    completed: set[str] = set()
    deletions: dict[bool, list[Exchange]] = {True: [], False: []}
    for each in exchanges:
        if state_of(each) is True:
            completed.add(request_id_of(each))
        elif (
            each.operation is Operation.DELETE
            and due(each).must_accept
            and each.response is not None
            and each.error is None
        ):
            deletions[request_id_of(each) in completed].append(each)
    for calls in deletions.values():
        failed = [each for each in calls if is_server_error(each) and found_nothing_again(again.get(each.id))]
        correct = [each for each in calls if each.response is not None and each.response.status == 200]
        if failed and len(failed) <= max(1, len(calls) // _ONE_IN):
            yield from (each for each in failed if any(later.number > each.number for later in correct))


def found_nothing_again(exchange: Exchange | None) -> bool:
    """Whether a deletion was sent again after a server error and found no request: the first one removed it."""
    return (
        exchange is not None
        and exchange.operation is Operation.DELETE
        and bool(exchange.repeats)
        and exchange.error in (ErrorKind.UNAVAILABLE, ErrorKind.FAILED_BEFORE)
        and exchange.response is not None
        and exchange.response.status == 404
    )


def _is_answered(failed: Exchange, again: Mapping[str, Exchange], facts: Facts) -> bool:
    """Whether a call was answered when it was sent again: a valid one correctly, any other without a server error."""
    last = again.get(failed.id)
    while last is not None and last.id in again:
        last = again[last.id]
    if last is None or last.response is None:
        return False
    correct = last.response.status == 200 or refuses_an_offered_token(last)
    # A failed creation may have filled the account, so that the limit refuses the next one.
    may_be_full = last.operation is Operation.CREATE and not due(last, facts).by
    return correct if due(failed, facts).must_accept and not may_be_full else last.response.status < 500


def is_server_error(exchange: Exchange) -> bool:
    """Whether the response is a server error that does not ask the client to retry later."""
    return exchange.response is not None and exchange.error is None and exchange.response.status >= 500
