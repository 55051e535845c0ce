from __future__ import annotations

from typing import Any

import pytest
from hand_made import exchange

from conformance.model.deviations import deviations
from conformance.model.exchange import Operation

PLAIN = (("Accept", "application/json"), ("Accept-Encoding", "identity"), ("Content-Type", "application/json"))


@pytest.mark.parametrize(
    ("operation", "how"),
    [
        (Operation.CREATE, {"body": "known types"}),
        (Operation.READ, {"request": "existing"}),
        (Operation.DELETE, {"request": "clean-up"}),
        (Operation.DATA, {"credential": "no token", "language": "supported"}),
        (Operation.DATA_ME, {"credential": "no token"}),
    ],
)
def test_an_ordinary_valid_call_has_none(operation: Operation, how: dict[str, Any]) -> None:
    assert deviations(exchange(operation, asked=PLAIN, **how)) == 0


@pytest.mark.parametrize(
    "how",
    [
        {"credential": "a made-up token"},
        {"credential": "other user"},
        {"request": "foreign"},
        {"request_id": "odd-word"},
        {"open": True},
        {"unusual": True},
        {"racing": True},
        {"redirected_from": "e1"},
        {"asked": [*PLAIN, ("Accept-Language", "nl")]},
        {"asked": [("Accept", "text/html,*/*;q=0.8")]},
        {"asked": [("Accept-Encoding", "gzip, deflate")]},
        {"asked": [("accept", "application/json"), ("host", "service.test")]},
    ],
)
def test_each_respect_in_which_a_reading_differs_counts_one(how: dict[str, Any]) -> None:
    assert deviations(exchange(Operation.READ, **{"request": "existing", "asked": PLAIN, **how})) == 1
