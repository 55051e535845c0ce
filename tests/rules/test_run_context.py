"""What the record of a run shows of a full account."""

from __future__ import annotations

import pytest
from answered import creation
from hand_made import error

from conformance.model.error_table import INVALID_DATA_TYPES, LIMIT_REACHED, Condition
from conformance.rules.run_context import refusals_when_full


@pytest.mark.parametrize(
    ("for_types", "without_body", "found"),
    [
        (INVALID_DATA_TYPES, LIMIT_REACHED, True),
        (INVALID_DATA_TYPES, INVALID_DATA_TYPES, True),
        (LIMIT_REACHED, INVALID_DATA_TYPES, False),
    ],
)
def test_refusals_of_known_types_show_whether_the_service_has_the_error_of_the_limit(
    for_types: Condition, without_body: Condition, found: bool
) -> None:
    refused = creation(400, error(for_types), limit="reached")
    omitted = creation(400, error(without_body), limit="reached", body="omitted", number=2)
    assert refused.response is not None

    full = refusals_when_full([refused, omitted])

    assert ((400, refused.response.content) in full) is found


def test_without_refusals_of_known_types_any_refusal_shows_it() -> None:
    assert refusals_when_full([creation(400, error(LIMIT_REACHED), limit="reached", body="omitted")]) == frozenset()
