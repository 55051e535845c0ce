"""`--only` and `--last-failed`: the checks of some requirements run, with just the calls that these need."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_services import Command, report_of, served

from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

pytestmark = pytest.mark.usefixtures("tokens")


class ForgetsTheState(Service):
    """Leaves isCompleted out when a request is read, after it was created correctly."""

    async def answer(self, call: Call) -> Reply:
        reply = await super().answer(call)
        if call.operation == "readRequest" and reply.status == 200:
            return Reply(200, reply.body.replace(b"isCompleted", b"is_completed"), reply.headers)
        return reply


def verdicts_of(run: Path) -> dict[str, str]:
    return {row["id"]: row["verdict"] for row in report_of(run)["requirements"] if row["verdict"] != "not-tested"}


def test_just_the_calls_of_a_requirement_are_made(command: Command, folder: Path) -> None:
    with served() as service:
        result = command("check", service.base_url, "--only", "2.3-legalEntity", "--output", "out")

    report = report_of(folder / "out")
    assert (result.code, report["outcome"]) == (0, "conforms-in-part")
    assert report["scope"]["only"] == ["2.3-legalEntity"]
    assert report["summary"]["created"] == 0
    assert report["summary"]["exchanges"] <= 20
    assert verdicts_of(folder / "out") == {"2.3-legalEntity": "pass"}
    assert "only the checks of 2.3-legalEntity" in result.err
    assert "A whole run may find more" in " ".join(result.out.split())
    assert "A whole run may find more" in (folder / "out" / "report.html").read_text("utf-8")
    assert command("verify", "out").code == 0


def test_a_failure_that_the_calls_of_another_check_show_is_repeated_with_that_check(
    command: Command, folder: Path
) -> None:
    row = "2.1-isCompleted"
    with served(ForgetsTheState) as service:
        first = command("check", service.base_url, "--only", f"{row},4.2-answers-200", "--output", "runs/one")
        again = command("check", service.base_url, "--last-failed", "--output", "runs/two")

    assert (first.code, verdicts_of(folder / "runs" / "one")[row]) == (1, "fail")
    assert (again.code, verdicts_of(folder / "runs" / "two")[row]) == (1, "fail"), again.err
    assert "and 2 whose calls showed it" in again.err  # those of one request, and those of sequences
