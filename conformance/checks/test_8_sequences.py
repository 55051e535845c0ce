"""Clauses 3, 4 and 8: sequences of calls, compared with a model that predicts each answer."""

from __future__ import annotations

import pytest

from conformance.checks.marks import each_requirement, last
from conformance.generation.sequences import Sequences, assert_not_violated


@last
@pytest.mark.usefixtures("hypothesis_at_hand")
@each_requirement(
    "3-removed",
    "3-deletes-no-other",
    "4.2-answers-200",
    "4.2-agrees-with-creation",
    "4.3-answers-ok",
)
def test_sequences_keep(sequences: Sequences, requirement_id: str) -> None:
    """No sequence of creations, readings and deletions violates the requirement; a finding shows the shortest one."""
    assert_not_violated(sequences, requirement_id)
