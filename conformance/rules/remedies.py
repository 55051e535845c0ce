"""What to do about a finding, where the answer that shows it tells more than the requirement does.

A pure function of the record. It changes no verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from conformance.model.exchange import Exchange, Operation, request_id_of
from conformance.model.findings import Finding
from conformance.model.formats import is_uuid
from conformance.rules.judge import judge
from conformance.rules.run_context import RunContext

_OF_DELETIONS: Final = ("4.3-answers-ok", "3-deletes-completed")

_OF_REFUSALS: Final = (
    "0-bodies-are-json",
    "0-json-media-type",
    "2.4-object",
    "2.4-error",
    "2.4-message",
    "7-not-found",
    "7-not-found-error",
    "7-not-found-message",
)
"""Requirements that the answer of a router violates, if the router rejects an identifier itself."""

_STRING_IN_THE_ROUTE: Final = (
    "Take requestId as a string in the route: a converter or type there (uuid in Flask and Django, UUID in FastAPI and "
    "Spring), or the database, rejects this identifier before the service looks for it. Then answer 404 with the error "
    "object of clause 7."
)

_ONLY_200: Final = (
    "Answer 200 instead of %d, with the two letters OK as the whole body: set both in the handler, because frameworks "
    "answer a deletion without a body with 204."
)

_FAILED: Final = (
    "The service fails in this call: find the error in its log, and handle it where it happens. The answer has to have "
    "%s."
)


class Remedies:
    """What the exchanges of a run say about the remedies of its findings."""

    def __init__(self, exchanges: Iterable[Exchange], known: RunContext) -> None:
        self._exchanges: Mapping[str, Exchange] = {each.id: each for each in exchanges}
        self._known = known

    def of(self, requirement: str, finding: Finding[str]) -> str:
        """Return what to do about a finding of a requirement, if its first exchange tells; else ""."""
        shown = self._exchanges.get(finding.exchanges[0]) if finding.exchanges else None
        if shown is None or shown.response is None:
            return ""
        status = shown.response.status
        if requirement in _OF_REFUSALS and self._rejects_the_form(shown):
            return _STRING_IN_THE_ROUTE
        if requirement in _OF_DELETIONS and 200 < status < 300:
            return _ONLY_200 % status
        if status >= 500 and status not in (501, 505, 511) and finding.expected.startswith("status "):
            return _FAILED % finding.expected
        return ""

    def _rejects_the_form(self, exchange: Exchange) -> bool:
        """Whether an identifier that is no UUID is answered otherwise than UUIDs that no request has."""
        if not _names_a_missing_request(exchange) or is_uuid(request_id_of(exchange)):
            return False
        others = [
            each
            for each in self._exchanges.values()
            if each.operation is exchange.operation and _names_a_missing_request(each) and is_uuid(request_id_of(each))
        ]
        return bool(others) and not any(judge(each, self._known) for each in others)


def _names_a_missing_request(exchange: Exchange) -> bool:
    return (
        exchange.operation in (Operation.READ, Operation.DELETE)
        and exchange.intent.request == "unknown"
        and exchange.response is not None
        and exchange.error is None
    )
