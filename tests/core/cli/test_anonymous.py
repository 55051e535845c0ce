"""check --anonymous, and compare of a named and an anonymous run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_services import Command, report_of, served

from conformance.reference.call import Call
from conformance.reference.service import Service

PUBLIC = ("--profile", "public", "--select", "2.3", "--quiet", "--format", "html")

pytestmark = pytest.mark.usefixtures("tokens")


class _KnowsTheSuite(Service):
    """Has all settings for the suite only."""

    def settings(self, call: Call) -> Any:
        settings = super().settings(call)
        if "conformance" not in call.headers.get("user-agent", ""):
            del settings["legalEntity"]
        return settings


def test_a_named_and_an_anonymous_run_are_compared(command: Command, folder: Path) -> None:
    with served(_KnowsTheSuite) as service:
        named = command("check", service.base_url, *PUBLIC, "--output", "named")
        hidden = command("check", service.base_url, *PUBLIC, "--output", "hidden", "--anonymous")

    assert (named.code, hidden.code) == (0, 1)
    options = [report_of(folder / name)["run"]["options"] for name in ("named", "hidden")]
    assert [each["anonymous"] for each in options] == [False, True]
    assert "anonymous: True" in (folder / "hidden" / "report.html").read_text("utf-8")
    for runs in (("named", "hidden"), ("hidden", "named")):
        compared = command("compare", *runs)
        assert compared.code == 1
        assert compared.out.startswith("Alert: the service answered the anonymous run differently: 1 requirement\n")
        assert "\n- 2.3-legalEntity: " in compared.out.partition("- Before")[0]
    written = command("compare", "hidden", "named", "--output", "c.txt")
    assert written.code == 1
    assert written.out.startswith("c.txt: Alert: ")


def test_an_anonymous_run_draws_its_seed_and_can_be_made_again(command: Command, folder: Path) -> None:
    with served() as service:
        for name, options in (("a", ()), ("b", ()), ("again", ("--seed", "4711")), ("once", ("--seed", "4711"))):
            done = command("check", service.base_url, *PUBLIC, "--output", name, "--anonymous", *options)
            assert done.code == 0, done.err

    seeds = [report_of(folder / name)["seed"] for name in ("a", "b", "again")]
    assert len({0, *seeds}) == 4
    # Which of two simultaneous calls is recorded first is left to the machine.
    requests = [
        sorted((each["request"]["method"], each["request"]["url"]) for each in evidence_of(folder / name))
        for name in ("again", "once")
    ]
    assert requests[0] == requests[1]


def evidence_of(run: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((run / "evidence.har").read_text("utf-8"))["log"]["entries"]
    return entries
