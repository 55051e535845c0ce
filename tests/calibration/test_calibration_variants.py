from __future__ import annotations

import pytest
from reference_script import CONFIG, differs, transcript

from conformance.calibration.faults import FAULTS
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Fault, Twin, fault, twin
from conformance.model.requirements import UnknownRequirement, catalogue
from conformance.model.verdict import Level, Verdict
from conformance.reference.service import Service

ORDERLY = {200, 302, 307, 308, 400, 401, 403, 404, 405, 409, 410, 415, 422, 429, 500, 501, 503}
"""Statuses that some twin answers with on purpose: 415 and 500 to malformed bodies, 501 to other methods."""
OF_GATEWAYS = {408, 425, 509, 520, 524, 599}


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_fault_answers_otherwise_than_the_reference(name: str) -> None:
    bend = FAULTS[name]
    config = bend.configured(CONFIG)

    assert differs(bend.service, config)


UNSEEN_BY_THE_WALK = {
    "first-of-several-headers": "the walk sends one Authorization header at most",
    "malformed-calls-refused-at-the-gate": "the walk sends neither two headers nor a query",
    "token-in-the-query-as-well": "the walk sends no token in the query",
    "hidden-while-being-deleted": "it differs in the time that it takes",
    "three-hundredths-when-read": "the moments of the walk are whole hundredths of a second",
    "account-whose-phone-comes-after-refusals": "the walk asks for no unknown type while it holds two",
    "ends-as-creations-are-refused": "the walk is refused nothing while there are two",
    "ends-right-before-its-deletion": "the walk makes fewer requests",
    "the-other-token-expires": "the walk makes fewer calls as the second user",
}
"""Twins that differ where the fixed walk does not go, each with the reason."""


@pytest.mark.parametrize("name", sorted(TWINS.keys() - UNSEEN_BY_THE_WALK))
def test_a_twin_differs_from_the_reference_in_behaviour_or_configuration(name: str) -> None:
    bend = TWINS[name]
    config = bend.configured(CONFIG)

    assert bend.config or differs(bend.service, config)


@pytest.mark.parametrize("name", sorted(TWINS))
def test_a_twin_never_breaks_down(name: str) -> None:
    bend = TWINS[name]
    config = bend.configured(CONFIG)

    assert {reply.status for reply in transcript(bend.service, config)} <= ORDERLY | OF_GATEWAYS


def test_every_testable_demand_has_a_fault() -> None:
    demands = {row.id for row in catalogue().rows.values() if row.level is not Level.OPEN and not row.untestable}

    assert {bend.requirement for bend in FAULTS.values()} == demands


@pytest.mark.parametrize("bends", [FAULTS, TWINS])
def test_every_bend_says_in_a_sentence_what_it_is(bends: dict[str, Fault | Twin]) -> None:
    assert [bend.name for bend in bends.values() if not bend.summary.endswith(".")] == []
    assert all(name == bend.name for name, bend in bends.items())


def test_no_twin_may_fail() -> None:
    assert [each.name for each in TWINS.values() if Verdict.FAIL in sum(each.acceptable.values(), ())] == []


def test_a_fault_with_an_unknown_requirement_fails_at_import() -> None:
    class Sound(Service):
        """A docstring."""

    with pytest.raises(UnknownRequirement, match=r"2\.3-supportedLanaguages"):
        fault("2.3-supportedLanguages")(Sound)
    with pytest.raises(ValueError, match="open"):
        fault("2.1-createdAt", "5-isolation")(Sound)


def test_a_twin_with_an_alert_that_the_catalogue_does_not_declare_fails_at_import() -> None:
    with pytest.raises(ValueError, match=r"the catalogue declares no alert for 4\.3-answers-ok"):
        twin("5", alerts=("4.3-answers-ok",))(type("Sound", (Service,), {"__doc__": "A docstring."}))


def test_a_bend_without_a_docstring_is_refused() -> None:
    with pytest.raises(ValueError, match="docstring"):
        fault("2.1-createdAt")(type("Silent", (Service,), {}))


def test_two_walks_through_the_same_service_are_alike() -> None:
    assert transcript(Service, CONFIG) == transcript(Service, CONFIG)
