"""Clause 4.2: GET /requests/{requestId} reads a data request."""

from __future__ import annotations

from conformance.checks.marks import Observe, last, requirement
from conformance.model.errors import answer_of
from conformance.scenarios.completion import Completed


@last
@requirement("4.2-completed-request")
def test_a_completed_request_may_be_read(completion: Completed, observe: Observe) -> None:
    """Shows whether a completed request can be read."""
    assert completion.read is not None
    observe(f"Reading a completed request answers {answer_of(completion.read).status}.", completion.read)
