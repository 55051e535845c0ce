from __future__ import annotations

import io
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
import report_samples as samples
from report_samples import typed
from rich.console import Console

from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level, Outcome, Verdict
from conformance.reports.terminal import FAILS_SHOWN, print_summary

PATHS = [Path("runs/a/report.html")]


def shown(report: Report, *, width: int = 80, terminal: bool = False) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=terminal, color_system="truecolor" if terminal else None)
    print_summary(console, typed(samples.data(report)), PATHS)
    return file.getvalue()


MUSTS = [row.id for row in catalogue().rows.values() if row.level is Level.MUST and not row.untestable]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("number", [1, 5, 60])
def test_the_last_screen_shows_the_outcome_a_failure_the_ids_and_the_report(number: int, width: int) -> None:
    """Every text is as long as it can be: the sentences of a failing run stood above the screen."""
    long = "Some words of a message. " * 12
    curl = f"curl -i 'https://data.example.org/{'x' * 270}'"
    long_one = samples.finding(Verdict.FAIL, message=long, expected=long, actual=long)
    one = replace(long_one, remedy=f"{long[:-1]}!", curl=curl)
    ids = sorted(MUSTS, key=len)[-number:]

    text = shown(samples.report(findings=dict.fromkeys(ids, (one,))), width=width)

    rows = [row for line in text.splitlines() for row in (textwrap.wrap(line, width) or [""])]
    end = "\n".join(rows[-38:])
    assert end.startswith("Does not conform") or "\nDoes not conform" in end
    assert "\nFix this first: " in end
    assert "\n     finding  Some words" in end
    assert "\n     fix      Some words" in end
    assert f"\nFailed ({number}): " in end
    assert ("and 48 more" in end) == (number == 60)
    assert end.endswith("runs/a/report.html")
    assert text.count("!\n") == min(number, FAILS_SHOWN), "each failure is printed once"


def test_the_last_screen_of_an_undecided_run_shows_what_would_decide_most() -> None:
    expired = samples.broken_findings()["8-limit-enforced"]
    text = shown(samples.report(Outcome.INCONCLUSIVE, findings={"8-limit-enforced": expired}))
    end = text[text.index("\nInconclusive  https") :]
    assert "\nDecide this first: 1 requirement\n     reason   The access token expired.\n" in end
    assert text.count("The access token expired.") == 1


def test_a_warning_that_fails_a_strict_run_is_to_be_fixed_first() -> None:
    one = replace(samples.finding(Verdict.WARN, message="It is of version 1."), curl="")
    text = shown(samples.report(findings={"2.1-requestId-version": (one,)}, strict=True))
    assert "\nFix this first: 2.1-requestId-version\n     finding  It is of version 1.\n" in text
    assert "\nFailed (1): 2.1-requestId-version\n" in text
    assert text.count("It is of version 1.") == 1


def test_a_selection_shows_each_of_its_requirements_and_no_other() -> None:
    report = samples.report(Outcome.CONFORMS_IN_PART)
    left_out = tuple(
        row.id for row in report.requirements if row.id != "4.3-answers-ok" and row.verdict != "not-tested"
    )
    scope = replace(report.scope, only=("4.3-answers-ok",), deselect=(), left_out=left_out)
    text = shown(replace(report, scope=scope))
    assert text.startswith(
        "Selected (1)\n\nPASS 4.3-answers-ok\n     meaning  DELETE /requests/{requestId} of an existing"
    )
    assert "Not tested" not in text
    assert "attest" not in text


def test_a_service_that_conforms_with_an_alert_is_not_green_and_the_sentence_names_the_alert() -> None:
    one = {"5-isolation": samples.alert_findings()["5-isolation"]}
    report = samples.report(Outcome.CONFORMS, findings=one)
    said = "that applies to it; but there is 1 alert: Another user could read the request.\n"
    assert said in shown(report, width=200)
    assert "\x1b[1;33mConforms, 1 alert\x1b[0m" in shown(report, terminal=True)
    assert "that applies to it.\n" in shown(samples.report(Outcome.CONFORMS), width=200)
    both = shown(samples.report(Outcome.CONFORMS, findings=samples.alert_findings()), width=200)
    assert "; but there are 2 alerts: The tokens are sent over http. Another user could read the request.\n" in both


def test_the_outcome_says_which_alerts_count_as_failures() -> None:
    found = samples.alert_findings()
    text = shown(samples.report(findings=found, fail_on=("5-isolation",)), width=200)
    assert "The service does not conform: 1 alert counts as a failure, as requested (5-isolation)." in text
    text = shown(samples.report(findings=samples.broken_findings() | found, fail_on=("alerts",)), width=200)
    assert "4 requirements failed; 2 alerts count as a failure, as requested (5-token-over-http, 5-isolation)." in text


def test_very_many_findings_stay_readable() -> None:
    one = (samples.finding(Verdict.FAIL, "x" * 100_000),)
    rows = [row.id for row in catalogue().rows.values() if row.level is Level.MUST and not row.untestable]
    text = shown(samples.report(findings=dict.fromkeys(rows, one)))
    assert text.count("FAIL ") == FAILS_SHOWN
    assert f"and {len(rows) - FAILS_SHOWN} more, in the report" in text
    assert len(text) < 100_000
    assert "characters; it is in report.json)" in text


def test_a_body_in_a_finding_is_shortened() -> None:
    body = '{"name":"value"}' * 100
    one = (samples.finding(Verdict.FAIL, "The body is wrong.", expected="OK", actual=body),)
    text = shown(samples.report(findings={"4.3-answers-ok": one}))
    assert f"actual{body[:120]}…fix" in "".join(text.split())


def test_the_curl_line_is_one_line_however_narrow_the_terminal() -> None:
    text = shown(samples.report(findings=samples.broken_findings()), width=40)
    assert "     curl -i -H \"Authorization: Bearer $DRSI_TOKEN\" 'https://data.example.org/api/v1/settings'\n" in text


def test_hostile_text_is_neither_markup_nor_control() -> None:
    found = samples.broken_findings(samples.HOSTILE)
    plain = shown(samples.report(findings=found), width=300)
    assert "[bold]rich[/bold] :boom:" in plain
    assert r"\x1b[31mred" in plain
    assert not set(plain) & set("\x00\x07\x1b\x9b\ud800\u202e\u2028")
    coloured = shown(samples.report(findings=found), width=300, terminal=True)
    assert "\x1b]0;" not in coloured
    assert "\x1b[31mred" not in coloured
