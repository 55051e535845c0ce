"""check --anonymous, and compare of a named and an anonymous run."""

from __future__ import annotations

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
