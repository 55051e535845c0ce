"""How faults and twins are declared, how they are served, and what holds for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from whole_runs import row_of

from conformance.calibration import sources
from conformance.calibration.faults import FAULTS
from conformance.calibration.run_one import Job, run_of
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Fault, Given, Variant, detectable_requirements, fault, twin
from conformance.model.errors import ConfigurationFault
from conformance.model.requirements import catalogue
from conformance.model.score import published
from conformance.model.verdict import Level, Verdict
from conformance.reference.service import Service
from conformance.run.plan import Plan

PLACE = "2.3, table, row 2"
PUBLISH = "run selftest --output DIR, then python -m conformance.calibration.publish DIR"


class Sound(Service):
    """A docstring."""


NO_SOURCE = "its source is neither a place of the catalogue nor a name"


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (lambda: fault("2.3-supportedLanguages", source=PLACE), "Did you mean 2.3-supportedLanaguages"),
        (lambda: fault("2.1-createdAt", "5-isolation", source=PLACE), "5-isolation, which is open"),
        (lambda: fault("2.1-createdAt", "2.1-created-*", source=PLACE), "Did you mean"),
        (lambda: fault("2.3-legalEntity", source="2.3, table, row 99"), NO_SOURCE),
        (lambda: fault("2.3-legalEntity", source="https://example.org"), NO_SOURCE),
        (lambda: fault("2.3-legalEntity"), NO_SOURCE),
        (lambda: twin("5", source=PLACE, alerts=("4.3-answers-ok",)), "the catalogue declares no alert for it"),
        (lambda: twin("5", {"4.3-answers-ok": ("fail",)}, source=PLACE), "a conforming service is never failed"),
        (lambda: twin("5", {"4.3-answer-ok": ("warn",)}, source=PLACE), "Did you mean 4.3-answers-ok"),
    ],
)
def test_a_service_that_is_declared_wrongly_is_refused_by_name(declared: Callable[[], Any], message: str) -> None:
    with pytest.raises(ConfigurationFault, match=f"The declaration of (fault|twin) sound .*{message}"):
        declared()(Sound)


def test_a_fault_without_a_docstring_is_refused() -> None:
    with pytest.raises(ConfigurationFault, match="no docstring"):
        fault("2.3-legalEntity", source=PLACE)(type("Sound", (Service,), {}))


def test_every_source_has_a_variant() -> None:
    named = {value for name, value in vars(sources).items() if name.isupper() and not name.startswith("_")}

    assert named <= {each.source for each in (*FAULTS.values(), *TWINS.values())}


def test_a_requirement_has_at_most_four_faults_that_are_classes() -> None:
    number = Counter(each.requirement for each in FAULTS.values() if each.source)

    assert {id: many for id, many in number.items() if many > 4} == {}


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

    assert score["sensitivity"]["of"] == score["attribution"]["of"], PUBLISH
    faults, conforming = (
        sum(score[name]["of"] for name in score if name.startswith(kind)) for kind in ("sensitivity", "specificity")
    )
    assert (faults, conforming) == (len(FAULTS), len(TWINS) + 1), PUBLISH
    assert set(score["proofs"]) == set(detectable_requirements())
    assert min(score["proofs"].values()) >= 1


OF_OPTIONS = {str(each.given or each.run): each for each in FAULTS.values() if each.given or each.run}
"""A fault of each option with which faults are tried, beside those of the command in README."""


@pytest.mark.parametrize("variant", OF_OPTIONS.values(), ids=lambda each: each.name)
def test_a_fault_that_needs_an_option_is_missed_without_it(variant: Fault) -> None:
    is_in_use = Given.RESET_COMMAND in variant.given  # a reset says what --empty-account says: neither is given
    run = run_of(replace(variant, given=(), run={}, is_in_use=is_in_use), Job(name=variant.name), Plan())

    assert row_of(run.report, variant.requirement).verdict not in (Verdict.FAIL, Verdict.WARN)


@pytest.mark.parametrize("services", [FAULTS, TWINS], ids=["faults", "twins"])
def test_what_only_the_organisation_gives_has_a_fault_and_a_twin(services: dict[str, Variant]) -> None:
    assert {given for each in services.values() for given in each.given} == set(Given)
