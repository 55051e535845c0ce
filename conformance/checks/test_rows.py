"""Clauses 0, 3, 4, 5 and 7: what the status or the error of one answer decides. The table of kinds states it.

No requirement has code: the judge compares every answer of the run with the row of its kind (`spec/kinds.toml`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from _pytest.mark import ParameterSet

from conformance.checks.marks import Decide, decided_by_one_exchange, last

_CREATIONS: Final = ("for_one_type_or_reason", "for_all_types_or_reason")
_REFUSED: Final = ("refused_creations_or_reason", "refused_requests_or_reason")

_SCENARIOS: Final = (
    # Where the run makes the calls of such a kind; the scenarios that do; the requirements that their answers decide.
    ((3, 0), ("deletion_or_reason", "deleted_early_or_reason"), ("3-removed",)),
    ((4, 1, 0), _CREATIONS, ("4.1-answers-200",)),
    ((4, 1, 0), ("for_all_types_or_reason", "generated_or_reason"), ("4.1-empty-body-labelled",)),
    ((4, 2, 0), ("readings_or_reason",), ("4.2-answers-200",)),
    ((4, 3, 0), ("deletion_or_reason",), ("4.3-answers-ok", "4.3-media-type")),
    ((4, 4, 0), ("settings_answers_or_reason",), ("4.4-answers-200",)),
    ((4, 5, 0), ("data_answers_or_reason",), ("4.5-answers-200",)),
    ((5, 0), _REFUSED[:1], ("5.3-create-without-token", "5.3-create-with-bad-token")),
    ((5, 0), _REFUSED[1:], ("5.3-read-without-token", "5.3-delete-without-token")),
    ((5, 0), _REFUSED[1:], ("5.3-read-with-bad-token", "5.3-delete-with-bad-token")),
    ((5, 0), _REFUSED, ("5.3-letter-case",)),
    ((5, 2), ("settings_answers_or_reason",), ("5.4-settings-without-token",)),
    ((5, 2), ("data_answers_or_reason",), ("5.4-data-without-token",)),
    ((7, 0), ("limit_or_reason",), ("7-limit-reached-error", "7-limit-reached-message")),
    (
        (7, 2),
        ("unsupported_language_or_reason",),
        ("7-language-not-supported-error", "7-language-not-supported-message"),
    ),
    ((7, 2), _REFUSED, ("7-unauthorized-error", "7-unauthorized-message")),
    (
        (7, 2),
        ("generated_or_reason",),
        ("7-invalid-data-types", "7-invalid-data-types-error", "7-invalid-data-types-message"),
    ),
    ((7, 2), ("generated_or_reason",), ("7-not-found", "7-not-found-error", "7-not-found-message")),
)


def _rows() -> Iterator[ParameterSet]:
    for requirement_id in ("0-bodies-are-json", "0-json-media-type"):
        yield decided_by_one_exchange(requirement_id, (), (0, 0), last)
    for place, scenarios, requirements in _SCENARIOS:
        for requirement_id in requirements:
            yield decided_by_one_exchange(requirement_id, scenarios, place)


ROWS: Final = tuple(_rows())


@pytest.mark.parametrize("requirement_id", ROWS)
def test_row(decide: Decide, requirement_id: str) -> None:
    """No answer violates the requirement, and at least one keeps it."""
    decide(requirement_id)
