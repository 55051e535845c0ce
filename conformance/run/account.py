"""Whether something else seems to count against the limit: the pattern of an account that is not empty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from conformance.facts.answers import is_limit_refusal
from conformance.facts.ledger import USUAL, Ledger
from conformance.http.session import Session
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Note
from conformance.model.identity import USER
from conformance.model.target import Target
from conformance.model.text import count
from conformance.model.verdict import Blame
from conformance.scenarios.api import Api


def of_the_account(session: Session) -> Iterator[Note]:
    """Yield the note on creations that were refused for the limit although the run never held that many requests.

    The run is over: this makes no call, also where a stopped run has not read the settings.
    """
    if session.results.settings is None:
        return
    service = Api(session)
    with suppress(NotDecided):
        limit = service.limit()
        peak, refused = _peak(session.record.in_order())
        if refused is not None and peak < limit:
            yield _perhaps_not_empty(peak, limit, session.target)


def _perhaps_not_empty(peak: int, limit: int, target: Target) -> Note:
    since = f"with {count(peak, 'request')} of this run" if peak else "from the first creation on"
    rest = (
        " Findings on the limit rest on --empty-account, which confirms that nothing else counts: check that first."
        if target.account_is_empty
        else ""
    )
    return Note(
        Blame.CONFIGURATION,
        f"Creations were refused for the limit {since}, and maxNumberOfRequests is {limit}. Either the service counts "
        f"wrongly, or requests that this run did not make count as well: older ones, or those of others.{rest}",
        f"{target.perhaps_not_empty} or use other accounts, and run again.",
    )


def _peak(exchanges: Sequence[Exchange]) -> tuple[int, Exchange | None]:
    """Return how many requests of the user may have counted at once, at most, and the first refusal for the limit."""
    ledger = Ledger.of(exchanges, empty=True)
    creations = [
        each for each in exchanges if each.operation is Operation.CREATE and each.request.credential == USER.label
    ]
    peak = max((ledger.held(USER.label, each.sent, each.over).own for each in creations), default=0)
    # What may be refused for another reason, such as a malformed body, says nothing about the limit.
    usual = (each for each in creations if each.intent.body in USUAL and not each.intent.label)
    return peak, next((each for each in usual if is_limit_refusal(each.response)), None)
