"""Clause 4.2: GET /requests/{requestId} reads a data request."""

from __future__ import annotations

import pytest

from conformance.checks.marks import Observe, last, requirement
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange


@last
@pytest.mark.usefixtures("late", "left_alone")
@requirement("4.2-completed-request")
def test_a_completed_request_may_be_read(completed_reading: Exchange, observe: Observe) -> None:
    """Shows whether a completed request can be read."""
    observe(f"Reading a completed request answers {answer_of(completed_reading).status}.", completed_reading)
