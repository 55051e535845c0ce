"""What to do about a finding, where the answer that shows it tells more than the requirement does.

A pure function of the record. It changes no verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from conformance.facts.answers import REFUSING
from conformance.facts.due import due
from conformance.facts.world import Facts
from conformance.judge.exchanges import judge
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Finding
from conformance.model.formats import is_uuid

_OF_DELETIONS: Final = ("4.3-answers-ok", "3-deletes-completed")

_OF_REFUSALS: Final = (
    "0-bodies-are-json",
    "0-json-media-type",
    "2.4-object",
    "2.4-error",
    "2.4-message",
    "5.3-read-without-token",
    "5.3-read-with-bad-token",
    "5.3-delete-without-token",
    "5.3-delete-with-bad-token",
    "7-not-found",
    "7-not-found-error",
    "7-not-found-message",
)
"""Requirements that the answer of a router violates, if the router rejects an identifier itself."""

_STRING_IN_THE_ROUTE: Final = (
    "Take requestId as a string in the route: a converter or type there (uuid in Flask and Django, UUID in FastAPI and "
    "Spring), or the database, rejects this identifier before the service looks at the call. Then answer as for a UUID "
    "that no request has."
)

_ONLY_200: Final = (
    "Answer 200 instead of %d, with the two letters OK as the whole body: set both in the handler, because frameworks "
    "answer a deletion without a body with 204."
)

_FAILED: Final = (
    "The service fails in this call: find the error in its log, and handle it where it happens. The answer has to have "
    "%s."
)

_MISSING: Final = (
    "Nothing serves %s %s: each of its calls was answered %s without an error of the service. Add the route to the "
    "service, or let what stands in front of it hand these calls on."
)


class Remedies:
    """What the exchanges of a run say about the remedies of its findings."""

    def __init__(self, known: Facts) -> None:
        self._exchanges: Mapping[str, Exchange] = {each.id: each for each in known.exchanges}
        self._known = known
        self._dead = {each for each in Operation if each is not Operation.DATA_ME and self._is_dead(each)}
        """The operations that the service does not have."""

    def _is_dead(self, operation: Operation) -> bool:
        """Whether all calls are answered as a router answers for a path or method that it does not know.

        At least one of them has another answer where the operation exists.
        """
        calls = [each for each in self._exchanges.values() if each.operation is operation and each.counts]
        return any(due(each).must_accept for each in calls) and all(map(_is_of_a_router, calls))

    def of(self, requirement: str, finding: Finding[str]) -> str:
        """Return what to do about a finding of a requirement, if its first exchange tells; else ""."""
        shown = self._exchanges.get(finding.exchanges[0]) if finding.exchanges else None
        if shown is None or shown.response is None:
            return ""
        status = shown.response.status
        if shown.operation in self._dead:
            return _MISSING % (shown.operation.method, shown.operation.path, status)
        if requirement in _OF_REFUSALS and self._rejects_the_form(shown):
            return _STRING_IN_THE_ROUTE
        if requirement in _OF_DELETIONS and 200 < status < 300:
            return _ONLY_200 % status
        if status >= 500 and status not in REFUSING and finding.expected.startswith("status "):
            return _FAILED % finding.expected
        return ""

    def _rejects_the_form(self, exchange: Exchange) -> bool:
        """Whether an identifier that is no UUID is answered otherwise than the same call with a UUID."""
        if not _could_name_no_request(exchange) or is_uuid(exchange.request_id):
            return False
        others = [
            each
            for each in self._exchanges.values()
            if each.operation is exchange.operation
            and each.request.credential == exchange.request.credential
            and _could_name_no_request(each)
            and is_uuid(each.request_id)
        ]
        return bool(others) and not any(judge(each, self._known).violations for each in others)


def _is_of_a_router(exchange: Exchange) -> bool:
    """Whether an answer is that for a path or method that nothing serves: no error object, or one with the path."""
    answer = exchange.response
    if answer is None or answer.status not in (403, 404, 405, 501):
        return False
    is_error = isinstance(answer.member("error"), str) and isinstance(answer.member("message"), str)
    return not is_error or exchange.path in answer.text


def _could_name_no_request(exchange: Exchange) -> bool:
    """Whether a reading or deletion is answered as if no request had its identifier: so are all without a token."""
    missing = due(exchange).status in (401, 404)
    return exchange.operation in (Operation.READ, Operation.DELETE) and missing and exchange.counts
