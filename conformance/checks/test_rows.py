"""What each answer decides by itself, in every clause: its status or error, and the document that it has.

No requirement has code. The table of kinds (`spec/kinds.toml`) states the first, the schemas state the second. The
judge compares every answer of the run: it violates or keeps each requirement on the parts that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pytest
from _pytest.mark import ParameterSet

from conformance.checks.marks import Decide, by_answers, last
from conformance.schema.documents import STEMS, requirements_of

_SCENARIOS: Final[Mapping[Sequence[str], Sequence[str]]] = {
    ("creations",): (
        *("data-request", "2.1-dataRequested-known", "3-in-progress-no-completedAt", "4.1-answers-200"),
        *("4.1-object", "4.1-body-omitted", "4.2-object"),
    ),
    ("creations", "readings"): ("4.2-agrees-with-creation",),
    ("creations", "generated"): ("4.1-empty-body-labelled",),
    ("readings",): ("4.2-answers-200",),
    ("deletion",): ("3-removed", "4.3-answers-ok", "4.3-media-type"),
    ("settings_answers",): ("settings", "4.4-answers-200", "4.4-object", "5.4-settings-without-token"),
    ("data_answers",): ("data-type-list", "4.5-answers-200", "4.5-array", "5.4-data-without-token"),
    ("refused_creations",): ("5.3-create-without-token", "5.3-create-with-bad-token"),
    ("refused_requests",): (
        *("5.3-read-without-token", "5.3-read-with-bad-token"),
        *("5.3-delete-without-token", "5.3-delete-with-bad-token"),
    ),
    ("refused_creations", "refused_requests"): ("5.3-letter-case", "7-unauthorized-error", "7-unauthorized-message"),
    ("limit",): ("7-limit-reached-error", "7-limit-reached-message"),
    ("unsupported_language",): ("7-language-not-supported-error", "7-language-not-supported-message"),
    ("refused_creations", "generated"): ("error",),
    ("generated",): (
        *("4.1-requested-types", "7-invalid-data-types", "7-invalid-data-types-error", "7-invalid-data-types-message"),
        *("7-not-found", "7-not-found-error", "7-not-found-message"),
    ),
}
"""For scenarios whose calls decide them, requirements, and schemas whose requirements have no row of their own."""


def _rows() -> Iterator[ParameterSet]:
    for requirement_id in ("0-bodies-are-json", "0-json-media-type"):
        yield by_answers(requirement_id, requirement_id, (), last)
    named = {name: scenarios for scenarios, names in _SCENARIOS.items() for name in names}
    for name, scenarios in named.items():
        of_a_schema = requirements_of(name) - named.keys() if name in STEMS else {name}
        for requirement_id in sorted(of_a_schema):
            yield by_answers(requirement_id, requirement_id, scenarios)


ROWS: Final = tuple(_rows())


@pytest.mark.parametrize("requirement_id", ROWS)
def test_row(decide: Decide, requirement_id: str) -> None:
    """No answer violates the requirement, and at least one keeps it."""
    decide(requirement_id)
