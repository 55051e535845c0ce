"""Waivers, --baseline and compare: what is known of a service from earlier runs."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
from cli_services import Command, report_of, served
from older_set import ID, Misspelt
from report_samples import typed

from conformance.model.report_data import data_of
from conformance.model.run_record import RunRecord
from conformance.model.verdict import Exit, Outcome, Verdict
from conformance.reports.exit_code import exit_code

SELECTED = ("--profile", "public", "--only", f"{ID},4.4", "--quiet")
WAIVERS = "drsi-conformance-waivers.toml"

pytestmark = pytest.mark.usefixtures("tokens")


def test_from_a_failure_to_a_waiver_and_back(command: Command, folder: Path) -> None:
    with served(Misspelt) as service:
        check = ("check", service.base_url, *SELECTED, "--output", "out")
        assert command(*check).code == 1
        assert command("waive", "out").code == 0
        (written,) = tomllib.loads((folder / WAIVERS).read_text("utf-8"))["waiver"]
        assert (written["requirement"], written["reason"], written["owner"]) == (ID, "", "")
        assert written["expires"] > datetime.now(UTC).date()

        again = command("waive", "out")
        assert (again.code, "exists, and is not overwritten" in again.err) == (2, True)
        refused = command(*check)
        assert (refused.code, f"waiver 1 ({ID}): reason is empty" in refused.err) == (2, True)

        filled = (folder / WAIVERS).read_text("utf-8").replace('""', '"Ticket 12"')
        (folder / WAIVERS).write_text(filled, "utf-8")
        assert command("trust").code == 0
        result = command(*(each for each in check if each != "--quiet"))
        assert result.code == 0, result.out + result.err
        assert f" {ID} (a waiver names it): " in result.err
        report = report_of(folder / "out")
        assert (report["outcome"], report["summary"]["waived"]) == ("conforms-with-waivers", 1)
        assert f"Failed and waived (1)\n\nWAIVED {ID}\n" in result.out
        assert f"Conforms with waivers  {service.base_url}\n" in result.out
        assert "Failed (" not in result.out
        assert samples.errors_of(report) == []
        assert command("waive", "out", "--output", "next.toml").code == 0
        assert 'reason = "Ticket 12"' in (folder / "next.toml").read_text("utf-8")

        (folder / WAIVERS).write_text(filled.replace(str(written["expires"]), "2020-02-29"), "utf-8")
        assert command("trust").code == 0
        result = command(*check)
        assert (result.code, report_of(folder / "out")["outcome"]) == (1, "does-not-conform")
        assert f"1 stale waiver fails the run: {ID} expired." in " ".join(result.out.split())


def test_what_the_service_said_stays_in_the_comments_of_the_file(command: Command, folder: Path) -> None:
    report = samples.report(findings=samples.broken_findings(samples.HOSTILE))
    (folder / "report.json").write_text(json.dumps(samples.data(report)), "utf-8")

    assert command("waive", "report.json").code == 0

    document = tomllib.loads((folder / WAIVERS).read_text("utf-8"))
    assert {key for each in document["waiver"] for key in each} == {"requirement", "reason", "owner", "expires"}
    assert {type(each["expires"]) for each in document["waiver"]} == {date}


def test_a_baseline_lets_known_failures_pass_and_no_others(command: Command, folder: Path) -> None:
    good = samples.data(samples.report(Outcome.CONFORMS, findings={}))
    (folder / "good.json").write_text(json.dumps(good), "utf-8")
    with served(Misspelt) as service:
        check = ("check", service.base_url, *SELECTED, "--output")
        new = command(*check, "bad", "--baseline", "good.json")
        known = command(*check, "worse", "--baseline", "bad/report.json")
        service.service.mended = True
        gone = command(*check, "mended", "--baseline", "bad")

    assert (new.code, f": 1 failure, 1 ({ID}) new." in new.out) == (1, True)
    assert f"The baseline is of another address: {good['target']['base_url']}, not {service.base_url}." in new.out
    assert known.code == 0
    assert known.out.endswith(
        ": 1 failure, none new.\nThe service does not conform. With --baseline the exit code is 0.\n"
    )
    assert report_of(folder / "worse")["outcome"] == "does-not-conform"
    assert (gone.code, "1 failure of the baseline did not occur. Record a new baseline." in gone.out) == (0, True)


FAILING = samples.data(samples.report(findings={"4.3-answers-ok": (samples.finding(Verdict.FAIL),)}))


def also(verdict: Verdict, **changes: Any) -> dict[str, Any]:
    """Return the failing report with a further finding of this verdict."""
    more = {"4.3-answers-ok": (samples.finding(Verdict.FAIL),), "4.4-object": (samples.finding(verdict, **changes),)}
    return samples.data(samples.report(findings=more))


ADVICE, RECOMMENDED = "2.3-privacyContactEmail-form", "2.1-requestId-version"


def warned(*ids: str) -> dict[str, Any]:
    """Return a strict report with these warnings."""
    return samples.data(samples.report(findings=dict.fromkeys(ids, (samples.finding(Verdict.WARN),)), strict=True))


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (FAILING, also(Verdict.FAIL), Exit.DOES_NOT_CONFORM),
        (FAILING, also(Verdict.INCONCLUSIVE), Exit.INCONCLUSIVE),
        (also(Verdict.INCONCLUSIVE), also(Verdict.INCONCLUSIVE), Exit.CONFORMS),
        (also(Verdict.INCONCLUSIVE), also(Verdict.INCONCLUSIVE, blame="credential"), Exit.INCONCLUSIVE),
        ({**also(Verdict.INCONCLUSIVE), "complete": False}, also(Verdict.INCONCLUSIVE), Exit.INCONCLUSIVE),
        (FAILING, {**FAILING, "complete": False}, Exit.INCONCLUSIVE),
        (warned(RECOMMENDED), warned(RECOMMENDED, "2.2-isErasable-present"), Exit.DOES_NOT_CONFORM),
        (warned(RECOMMENDED), warned(RECOMMENDED, ADVICE), Exit.CONFORMS),
        (FAILING, {**FAILING, "summary": {**FAILING["summary"], "left_behind": 1}}, Exit.INCONCLUSIVE),
    ],
)
def test_a_run_that_decided_less_than_its_baseline_is_not_green(
    before: dict[str, Any], after: dict[str, Any], code: Exit
) -> None:
    assert exit_code(typed(after), typed(before)) is code


def test_compare_exits_with_1_if_something_got_worse(command: Command, folder: Path) -> None:
    for name, report in (("a", FAILING), ("b", also(Verdict.FAIL))):
        (folder / name).mkdir()
        (folder / name / "report.json").write_text(json.dumps(report), "utf-8")

    printed = command("compare", "a", "b/report.json", "--format", "markdown")
    written = command("compare", "a", "b", "--format", "markdown", "--output", "c.md")

    assert (printed.code, written.code, command("compare", "b", "a").code) == (1, 1, 0)
    assert (folder / "c.md").read_text("utf-8") == printed.out
    assert written.out.startswith("c.md: ")


@pytest.mark.parametrize(
    ("outcome", "stale", "code"),
    [
        (Outcome.CONFORMS, "fail", Exit.USAGE),
        (Outcome.CONFORMS, "warn", Exit.CONFORMS),
        (Outcome.DOES_NOT_CONFORM, "fail", Exit.DOES_NOT_CONFORM),
        (Outcome.INCONCLUSIVE, "fail", Exit.INCONCLUSIVE),
    ],
)
def test_a_stale_waiver_hides_no_other_exit_code(outcome: Outcome, stale: str, code: Exit) -> None:
    report = samples.with_waivers(samples.report(outcome), outcome, samples.waiver(ID, state="expired"))
    report = replace(report, run=RunRecord(options={"stale-waivers": stale}))
    assert exit_code(typed(data_of(report))) is code
