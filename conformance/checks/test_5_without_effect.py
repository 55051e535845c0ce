"""Clause 5.3: a deletion that is rejected for its token changes nothing."""

from __future__ import annotations

from conformance.checks.marks import requirement
from conformance.client.user import UserClient, accepted
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import NotDecided, RequirementViolated, answer_of
from conformance.model.exchange import Operation, is_missing
from conformance.scenarios.credentials import Refusals, refused_requests_alone


@requirement("5.3-rejected-delete-deletes-nothing")
def test_a_rejected_deletion_deletes_nothing(service: UserClient, refused_requests: dict[Operation, Refusals]) -> None:
    """A request still exists after deletions with no token and with bad ones."""
    deletions = service.record.answered(Operation.DELETE)
    if not any(accepted(each) for each in deletions if each.request.credential in KNOWN_CREDENTIALS):
        control = service.delete(service.create().request_id)
        if not accepted(control):
            raise NotDecided("A deletion with the token was refused. See 4.3-answers-ok.", exchanges=[control])

    found = refused_requests[Operation.DELETE]
    if found.afterwards is not None and is_missing(found.afterwards):
        found = refused_requests_alone.result(service)[Operation.DELETE]  # a call beside it may have removed it
    rejected, gone = found.without[::2] + found.bad[:-1], found.afterwards

    if gone is not None and is_missing(gone):
        raise RequirementViolated(
            "A deletion without an accepted token removed the request: deleting it with the token answered 404.",
            expected="the request still exists",
            actual=f"statuses {', '.join(str(answer_of(each).status) for each in rejected)}, then 404 with the token",
            exchanges=[gone, *rejected],
        )
