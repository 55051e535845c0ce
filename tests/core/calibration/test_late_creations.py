"""Creations that are made although the service answers 503: a router stopped waiting, as Heroku's does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.calibration.faults import FAULTS
from conformance.calibration.run_one import Job, Kind, attempt
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Twin
from conformance.model.verdict import Verdict
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

PAGE = b"<h1>Application error</h1>"


def _late(numbers: range, base: type[Service] = Service) -> type[Service]:
    class Late(base):  # type: ignore[misc, valid-type] # mypy takes no class as a value
        async def create(self, call: Call) -> Reply:
            reply: Reply = await super().create(call)
            late = reply.status == 200 and self.turn("accepted creations") in numbers
            return Reply(503, PAGE, {"content-type": "text/html"}) if late else reply

    return Late


@pytest.mark.parametrize("every", [3, 12])
def test_a_creation_that_was_answered_503_may_take_a_place(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    service = _late(range(every - 1, 1000, every))
    monkeypatch.setitem(TWINS, "late", Twin(name="late", summary="", service=service, clause="7"))

    trial = attempt(Job(kind=Kind.TWIN, name="late"))

    assert not trial.broken
    assert [name for name, verdict in trial.verdicts.items() if verdict is Verdict.FAIL] == []


def _unavailable_once(base: type[Service]) -> type[Service]:
    class Unavailable(base):  # type: ignore[misc, valid-type]
        async def create(self, call: Call) -> Reply:
            if self.turn("creations") == 3:
                return Reply(503, PAGE, {"content-type": "text/html"})
            reply: Reply = await super().create(call)
            return reply

    return Unavailable


@pytest.mark.parametrize("name", ["no-limit", "all-types-take-no-place"])
def test_more_requests_than_the_limit_decide_in_spite_of_a_503(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = FAULTS[name]
    monkeypatch.setitem(FAULTS, name, replace(fault, service=_unavailable_once(fault.service)))

    trial = attempt(Job(kind=Kind.FAULT, name=name))

    assert trial.verdicts[fault.requirement] is Verdict.FAIL


@pytest.mark.parametrize("name", ["limit-is-one", "place-never-freed"])
def test_a_refusal_with_more_room_than_a_503_may_have_taken_fails(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = FAULTS[name]
    monkeypatch.setitem(FAULTS, name, replace(fault, service=_unavailable_once(fault.service)))

    trial = attempt(Job(kind=Kind.FAULT, name=name))

    assert trial.verdicts[fault.requirement] is Verdict.FAIL
