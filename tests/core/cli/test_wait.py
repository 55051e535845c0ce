"""`--wait`: the run begins when the service answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_services import Command, refusing, report_of, served

from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

pytestmark = pytest.mark.usefixtures("tokens")


class Starting(Service):
    """Answers 503 to its first two calls."""

    calls = 0

    async def answer(self, call: Call) -> Reply:
        self.calls += 1
        return Reply(503, b"", {}) if self.calls <= 2 else await super().answer(call)


def test_a_run_begins_when_the_service_answers(command: Command, folder: Path) -> None:
    with served(Starting) as service:
        result = command("check", service.base_url, "--wait", "60", "--only", "4.4-object", "--output", "out")

    assert (result.code, report_of(folder / "out")["outcome"]) == (0, "conforms-in-part")
    assert f"Waiting until {service.base_url} answers, at most 60 s" in result.err
    assert '"status": 503' not in (folder / "out" / "evidence.har").read_text("utf-8")


def test_a_service_that_does_not_answer_in_time_is_named_with_the_reason(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.http.waiting.PAUSE", 60.0)  # the least that an attempt is given: it suffices

    result = command("check", refusing(), "--wait", "0.3", "--only", "4.4-object", "--output", "out")

    assert result.code == 3
    assert "It did not answer in that time: " in result.err
    assert "refused" in result.err


def test_a_time_that_is_none_is_refused(command: Command) -> None:
    result = command("check", "http://127.0.0.1:9", "--wait", "-1")
    assert (result.code, "--wait" in result.err) == (2, True)
