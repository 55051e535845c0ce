"""Invariants of the calibration set that need no run."""

from __future__ import annotations

from collections import Counter

from conformance.calibration.faults import FAULTS
from conformance.calibration.score import (
    detectable_requirements,
)
from conformance.calibration.twins import TWINS
from conformance.model.published_score import published
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level


def test_every_requirement_has_enough_faults() -> None:
    number = Counter(fault.requirement for fault in FAULTS.values())
    needed = {id: 2 if catalogue()[id].level is Level.MUST else 1 for id in detectable_requirements()}

    assert {id: number[id] for id, enough in needed.items() if number[id] < enough} == {}


def test_no_fault_bears_the_name_of_a_twin() -> None:
    assert FAULTS.keys() & TWINS.keys() == set()


def test_every_twin_names_a_clause() -> None:
    clauses = {row.clause for row in catalogue().rows.values()} | set(catalogue().restated)
    known = {part for clause in clauses for part in (clause, clause.partition(".")[0])}

    assert {twin.name: twin.clause for twin in TWINS.values() if twin.clause not in known} == {}


def test_the_published_score_is_that_of_the_set() -> None:
    document = published()
    assert document is not None
    score = document["score"]

    assert score["sensitivity"]["of"] == score["attribution"]["of"], "run selftest, and copy score.json"
    faults, conforming = (
        sum(score[name]["of"] for name in score if name.startswith(kind)) for kind in ("sensitivity", "specificity")
    )
    assert faults == len(FAULTS), "run selftest, and copy score.json"
    assert conforming == len(TWINS) + 1, "run selftest, and copy score.json"
    assert set(score["proofs"]) == set(detectable_requirements())
    assert min(score["proofs"].values()) >= 1
