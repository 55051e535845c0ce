"""How faults are combined in one service, which faults cannot be combined, and how combinations are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import count
from typing import Any

import pytest

from conformance.calibration.combinations import CannotCombine, check_combination, combination, draw
from conformance.calibration.tour import tour
from conformance.reference.bend import Fault
from conformance.reference.call import Call
from conformance.reference.config import ReferenceConfig
from conformance.reference.faults import FAULTS
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

NUMBERS = count()


class RenamesTheEntity(Service):
    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"legalEntity": "Other B.V."}


class RenamesTheOrganisation(Service):
    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"organisationName": "Other"}


class WritesItsOwnSettings(Service):
    def settings(self, call: Call) -> Any:  # noqa: ARG002 the same for each call
        return {"maxNumberOfRequests": self.config.max_requests}


class CountsNothing(Service):
    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:  # noqa: ARG002 no limit
        return True


class StoresWithoutAsking(Service):
    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = self.new_request(types, call)
        self.store.add(request)
        return request


class CountsReadings(Service):
    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.seen = 0

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        self.seen += 1
        return super().document(request, call) | {"seen": self.seen}


class ListsCallers(Service):
    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.seen: list[str] = []

    def data_me(self, call: Call) -> Any:
        self.seen.append(call.user.name if call.user else "")
        return super().data_me(call) | {"seen": self.seen}


def added(monkeypatch: pytest.MonkeyPatch, service: type[Service], requirement: str, *also: str, **config: Any) -> str:
    """Register `service` as a fault for one test and return its name."""
    # A new name each time: combinations are cached by name.
    name = f"made-{next(NUMBERS)}"
    fault = Fault(
        name=name, summary="A fault.", service=service, config=config, requirement=requirement, consequences=also
    )
    monkeypatch.setitem(FAULTS, name, fault)
    return name


def test_overrides_that_call_the_next_one_are_all_in_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    entity = added(monkeypatch, RenamesTheEntity, "2.3-legalEntity")
    organisation = added(monkeypatch, RenamesTheOrganisation, "2.3-organisationName", max_requests=2)
    name = f"{entity} + {organisation}"

    check_combination(name)

    combined = combination(name)
    body = tour(combined)[0][1].decode()
    assert [fault.name for fault in combined.faults] == [entity, organisation]
    assert combined.config == {"max_requests": 2}
    assert '"legalEntity":"Other B.V."' in body
    assert '"organisationName":"Other"' in body
    assert '"maxNumberOfRequests":2' in body


def test_an_override_that_hides_another_is_refused_in_that_order(monkeypatch: pytest.MonkeyPatch) -> None:
    hiding = added(monkeypatch, WritesItsOwnSettings, "1.4-every-parameter")
    hidden = added(monkeypatch, RenamesTheEntity, "2.3-legalEntity")

    with pytest.raises(CannotCombine, match=f"no call reaches settings of {hidden}"):
        check_combination(f"{hiding} + {hidden}")
    check_combination(f"{hidden} + {hiding}")


def test_a_method_that_no_other_method_calls_any_more_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    hiding = added(monkeypatch, StoresWithoutAsking, "8-limit-enforced-in-parallel")
    hidden = added(monkeypatch, CountsNothing, "8-limit-enforced")

    for order in ((hiding, hidden), (hidden, hiding)):
        with pytest.raises(CannotCombine, match=f"no call reaches has_room of {hidden}"):
            check_combination(" + ".join(order))


def test_configurations_that_contradict_each_other_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    one = added(monkeypatch, RenamesTheEntity, "2.3-legalEntity", max_requests=1)
    other = added(monkeypatch, RenamesTheOrganisation, "2.3-organisationName", max_requests=2)

    with pytest.raises(CannotCombine, match="different values of max_requests"):
        check_combination(f"{one} + {other}")


@pytest.mark.parametrize(
    ("consequences", "others"),
    [((), ()), (("2.3-organisationName",), ()), ((), ("2.3-legalEntity",))],
    ids=["the same requirement", "a consequence of the first", "a consequence of the second"],
)
def test_faults_whose_effects_cannot_be_told_apart_are_refused(
    monkeypatch: pytest.MonkeyPatch, consequences: tuple[str, ...], others: tuple[str, ...]
) -> None:
    one = added(monkeypatch, RenamesTheEntity, "2.3-legalEntity", *consequences)
    requirement = "2.3-organisationName" if consequences or others else "2.3-legalEntity"
    other = added(monkeypatch, RenamesTheOrganisation, requirement, *others)

    with pytest.raises(CannotCombine, match="break the same requirement"):
        check_combination(f"{one} + {other}")


def test_an_attribute_that_two_faults_use_for_different_things_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    one = added(monkeypatch, CountsReadings, "4.2-answers-200")
    other = added(monkeypatch, ListsCallers, "4.6-types")

    with pytest.raises(CannotCombine, match="both use the name seen"):
        check_combination(f"{one} + {other}")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("is-erasable-absent + data-types-as-text", "the composed service raises AttributeError"),
        ("settings-answer-204 + settings-legal-entity-null", "settings-legal-entity-null changes no answer"),
        ("completed-at-true + all-types-take-no-place", "all-types-take-no-place changes no answer"),
        ("completed-at-true + read-accepts-longer-token", "read-accepts-longer-token changes no answer"),
        (
            "the-account-is-loaded-without-its-count + archive-opened-when-nothing-else-is-there",
            "no call reaches has_room of archive-opened-when-nothing-else-is-there",
        ),
        ("deletion-answers-row-count + deletion-answers-row-count", "duplicate base class"),
    ],
)
def test_faults_that_do_not_show_together_are_refused(name: str, why: str) -> None:
    with pytest.raises(CannotCombine, match=why):
        check_combination(name)


def test_a_draw_can_be_made_again() -> None:
    drawn = draw(7, seed=0)

    assert draw(7, seed=0) == drawn
    assert draw(3, seed=0) == drawn[:3]
    assert not set(draw(7, seed=1)) & set(drawn)


def test_a_draw_has_five_pairs_to_two_triples_of_faults_that_can_be_combined() -> None:
    drawn = draw(14, seed=2)
    times = Counter(fault for name in drawn for fault in name.split(" + "))

    assert Counter(name.count(" + ") for name in drawn) == {1: 10, 2: 4}
    assert set(times.values()) == {1}
    assert not any(FAULTS[fault].undetectable for fault in times)
    for name in drawn:
        check_combination(name)
