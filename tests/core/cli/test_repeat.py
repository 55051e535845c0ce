"""check --repeat: a service that answers otherwise in one of the runs, and the verification of all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_services import Command, report_of, served
from older_set import ID, Misspelt

from conformance.reference.call import Call

LIMIT = "8-accepts-up-to-limit"
NARROW = ("--profile", "public", "--only", f"{ID},4.4", "--quiet", "--output", "out")

pytestmark = pytest.mark.usefixtures("tokens")


class Unstable(Misspelt):
    """Spells the languages wrongly in its first answer."""

    def settings(self, call: Call) -> Any:
        settings = super().settings(call)
        self.mended = True
        return settings


def test_a_failure_of_one_run_is_unstable_and_all_of_it_is_verified(command: Command, folder: Path) -> None:
    with served(Unstable) as service:
        result = command("check", service.base_url, *NARROW, "--repeat", "2")
    verified = command("verify", "out")

    assert result.code == 1, result.out + result.err
    assert "Unstable (1 of 2): fail in repetition 1; pass in repetition 2." in " ".join(result.out.split())
    report = report_of(folder / "out")
    assert (report["complete"], [each["outcome"] for each in report["repetitions"]]) == (
        True,
        ["does-not-conform", "conforms-in-part"],
    )
    assert "flakyFailure" in Path("out/junit.xml").read_text("utf-8")
    assert {each.name for each in Path("out").iterdir()} >= {"repetition-1", "repetition-2", "evidence.har"}
    assert verified.code == 0, verified.out + verified.err
    assert "The joined report follows from its 2 repetitions." in verified.out

    bundled = command("bundle", "out")
    assert (bundled.code, "Pack each of its repetitions: repetition-1, repetition-2." in bundled.err) == (2, True)

    data = json.loads(Path("out/report.json").read_text("utf-8"))
    Path("out/repetition-1").rename("out/moved")
    Path("out/repetition-2").rename("out/repetition-1")
    Path("out/moved").rename("out/repetition-2")
    exchanged = command("verify", "out")
    assert (exchanged.code, "not made one after another" in exchanged.out) == (1, True)
    assert data["run"]["options"]["repeat"] == 2
