"""What a scenario that cannot go on leaves behind."""

from __future__ import annotations

import pytest
from hand_made import Scripted, created, json_answer, session_with

from conformance.model.errors import NotDecided
from conformance.scenarios import registry
from conformance.scenarios.api import Api


def test_a_parallel_scenario_that_cannot_go_on_deletes_its_request_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "SCENARIOS", {})  # it is none of the others

    @registry.scenario(parallel=True)
    def one(service: Api) -> None:
        service.post(["a"])
        raise NotDecided("No answer to the reading.")

    other = "0b7e1f24-3a52-4d3e-9d55-0d4a2f3b5c77"
    transport = Scripted(created(other), created(), json_answer(200, "OK"))
    service = Api(session_with(transport))
    service.post(["a"])

    with pytest.raises(NotDecided):
        one.result(service)

    assert transport.methods == ["POST", "POST", "DELETE"]
    assert list(service.session.journal.live) == [other]
