"""Clauses 1.4, 2, 4 and 9: what a document shows by itself. The schemas state it, and the judge looks at every answer.

No requirement has code: an answer violates or keeps each requirement on the parts that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pytest
from _pytest.mark import ParameterSet

from conformance.checks.marks import Decide, decided_by_one_exchange
from conformance.schema.documents import requirements_of

_Scenarios = Mapping[str, tuple[Sequence[int], Sequence[str]]]
"""Where the run makes the calls that decide, and the scenarios that make them."""

_SCENARIOS: Final[_Scenarios] = {
    "settings": ((2, 3, 0), ("settings_answers_or_reason",)),
    "data-type-list": ((2, 2, 0), ("data_answers_or_reason",)),
    "data-request": ((2, 1, 0), ("for_one_type_or_reason",)),
    "error": ((7, 2), ("refused_creations_or_reason", "generated_or_reason")),
}
"""By the schema of a document."""

_OWN: Final[_Scenarios] = {
    "2.1-dataRequested-known": ((2, 1, 0), ("for_one_type_or_reason",)),
    "3-in-progress-no-completedAt": ((3, 0), ("for_one_type_or_reason", "for_all_types_or_reason")),
    "4.1-object": ((4, 1, 0), ("for_one_type_or_reason",)),
    "4.1-body-omitted": ((4, 1, 0), ("for_all_types_or_reason",)),
    "4.1-requested-types": ((7, 2), ("generated_or_reason",)),
    "4.2-object": ((4, 2, 0), ("for_one_type_or_reason",)),
    "4.2-agrees-with-creation": ((4, 2, 0), ("for_two_types_or_reason", "for_all_types_or_reason")),
    "4.4-object": ((4, 4, 0), ("settings_answers_or_reason",)),
    "4.5-array": ((4, 5, 0), ("data_answers_or_reason",)),
}
"""By requirement: those that no schema states, and those that other scenarios decide."""


def _documents() -> Iterator[ParameterSet]:
    stated = {each: scenarios for schema, scenarios in _SCENARIOS.items() for each in sorted(requirements_of(schema))}
    for requirement_id, (place, scenarios) in {**stated, **_OWN}.items():
        yield decided_by_one_exchange(requirement_id, scenarios, place)


DOCUMENTS: Final = tuple(_documents())


@pytest.mark.parametrize("requirement_id", DOCUMENTS)
def test_document(decide: Decide, requirement_id: str) -> None:
    """No document violates the requirement, and at least one keeps it."""
    decide(requirement_id)
