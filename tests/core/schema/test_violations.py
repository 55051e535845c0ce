"""The violations of a document: ids, paths and messages."""

from __future__ import annotations

from collections import Counter
from typing import Any

from conformance.model.errors import RequirementViolated
from conformance.schema.violations import MOST_PER_REQUIREMENT, violations

DATA_TYPE: dict[str, Any] = {
    "type": "profile",
    "description": "Name and address",
    "context": "https://schema.org/Person",
    "processingGround": "contract",
    "isErasable": False,
    "isRectifiable": True,
}


def without(document: dict[str, Any], name: str, **added: Any) -> dict[str, Any]:
    return {**{key: value for key, value in document.items() if key != name}, **added}


def only(found: tuple[RequirementViolated, ...], requirement: str) -> RequirementViolated:
    (violation,) = [violation for violation in found if violation.requirement == requirement]
    return violation


def test_values_are_cut_and_escaped() -> None:
    hostile = "\x1b[31m\u202e\ud800\x00\x9b" + "a" * 500

    found = only(violations("error", {"error": [hostile], "message": "m"}), "2.4-error")

    assert found.actual.isprintable()
    assert found.actual.startswith('the array ["\\u001b[31m\\u202e\\ud800\\u0000\\u009b')
    assert len(found.actual) == len("the array ") + 200


def test_deep_documents_are_judged() -> None:
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]

    assert [found.requirement for found in violations("settings", deep)] == ["4.4-object"]
    assert [found.requirement for found in violations("error", {"error": deep, "message": "m"})] == ["2.4-error"]


def test_a_long_list_of_the_same_faults_is_cut() -> None:
    wrong = {**DATA_TYPE, "description": 5, "isErasable": "no"}

    found = violations("data-type-list", [{**wrong, "type": f"type {number}"} for number in range(10_000)])

    assert Counter(violation.requirement for violation in found) == {
        "2.2-description": MOST_PER_REQUIREMENT,
        "2.2-isErasable": MOST_PER_REQUIREMENT,
    }
    assert [violation.message.endswith("(and 9980 more like it)") for violation in found] == [False] * 38 + [True] * 2
