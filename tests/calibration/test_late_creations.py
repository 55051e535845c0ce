"""Creations that are made although the service answers 503: a router stopped waiting, as Heroku's does."""

from __future__ import annotations

import pytest

from conformance.calibration.run_one import Job, Kind, attempt
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Twin
from conformance.model.verdict import Verdict
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service


def _late(every: int) -> type[Service]:
    class Late(Service):
        async def create(self, call: Call) -> Reply:
            reply = await super().create(call)
            late = reply.status == 200 and self.turn("creations") % every == every - 1
            return Reply(503, b"<h1>Application error</h1>", {"content-type": "text/html"}) if late else reply

    return Late


@pytest.mark.parametrize("every", [3, 5, 7, 12])
def test_a_creation_that_was_answered_503_may_take_a_place(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TWINS, "late", Twin(name="late", summary="", service=_late(every), clause="7"))

    trial = attempt(Job(kind=Kind.TWIN, name="late"))

    assert not trial.broken
    assert [name for name, verdict in trial.verdicts.items() if verdict is Verdict.FAIL] == []
