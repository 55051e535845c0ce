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


def test_a_finding_says_everything_a_person_needs_to_act() -> None:
    lines = shown(samples.report(findings=samples.broken_findings())).splitlines()
    start = lines.index("Fix this first: 4.3-answers-ok")
    assert lines[start + 1 : lines.index("", start)] == [
        "     finding  The body is a JSON string, not plain text.",
        "     expected OK",
        '     actual   "OK"',
        "     fix      Answer 200 with the two letters OK as the whole body.",
        "     curl -i -H \"Authorization: Bearer $DRSI_TOKEN\" 'https://data.example.org/api/v1/settings'",
    ]
    start = lines.index("FAIL 4.3-answers-ok")
    assert lines[start + 1] == '     finding  at the end, under "Fix this first"'
    basis = " ".join(line.strip() for line in lines[start + 2 : lines.index("", start) - 1])
    assert basis.startswith("basis    Stated in ")
    assert basis.endswith(f"; in the suite's words: {catalogue()['4.3-answers-ok'].statement}")
    assert lines[lines.index("", start) - 1] == "     and 1 more finding about it, in the report"


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


def test_the_worst_comes_first_and_the_headline_last() -> None:
    text = shown(samples.report(findings=samples.broken_findings()), width=120)
    order = [
        "Failed (4)",
        "Recommendations not met (1)",
        "Inconclusive (3)",
        "note ",
        "Does not conform",
        ", 4 not applicable (",
    ]
    positions = [text.index(part) for part in order]
    assert positions == sorted(positions)
    assert text.splitlines()[-1] == "runs/a/report.html"


def test_alerts_come_before_everything_else_and_are_counted_in_the_headline() -> None:
    text = shown(samples.report(findings=samples.broken_findings() | samples.alert_findings()), width=120)
    assert text.startswith("Alerts (2)\n\nALERT 5-token-over-http\n     finding  The tokens are sent over http.\n")
    assert "ALERT 5-isolation\n     finding  Another user could read the request.\n" in text
    assert text.index("ALERT 5-isolation") < text.index("Failed (4)")
    assert f"\nDoes not conform, 2 alerts  {samples.BASE_URL}\n" in text
    assert "ALERT" not in shown(samples.report(Outcome.CONFORMS))


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


def test_the_headline_counts_each_testable_requirement_once_and_the_traffic() -> None:
    text = shown(samples.report(Outcome.INCONCLUSIVE, left_behind=1, complete=False), width=200)
    decided = samples.TESTABLE - 4
    assert f"{decided} passed, 0 failed, 4 not applicable (of {samples.TESTABLE} testable)." in text
    assert "212 exchanges; data requests: 31 created, 30 deleted, 1 left behind." in text
    assert "The run stopped early. 1 data request of this run could not be deleted." in text


def test_what_may_have_been_made_is_not_said_to_be_left_for_certain() -> None:
    report = samples.report(Outcome.INCONCLUSIVE, left_behind=1)
    text = shown(replace(report, summary=replace(report.summary, left_behind=10)), width=300)
    assert "data requests: 31 created, 30 deleted, 1 left behind, 9 more perhaps." in text
    assert "1 data request of this run could not be deleted. This run may have left 9 data requests behind" in text


def test_what_was_left_out_is_said() -> None:
    text = shown(samples.report(Outcome.CONFORMS_IN_PART, left_out_clause="4.3"), width=200)
    assert f"4 of {samples.ROWS} requirements were left out, as requested (without 4.3)." in text
    assert "4.3-answers-ok" in text


def test_one_reason_is_said_once() -> None:
    expired = samples.broken_findings()["8-limit-enforced"]
    rows = [row.id for row in catalogue().rows.values() if row.level is Level.MUST and not row.untestable]
    text = shown(samples.report(Outcome.INCONCLUSIVE, findings=dict.fromkeys(rows, expired)))
    assert text.count("The access token expired.") == 1
    assert f"{len(rows)} requirements" in text


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
