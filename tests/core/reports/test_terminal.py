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
from conformance.model.verdict import Level, Verdict
from conformance.reports.problems import SHOWN, Standing
from conformance.reports.terminal import print_summary

FAILS_SHOWN = SHOWN[Standing.FAILED][1]
PATHS = [Path("runs/a/report.html")]


def shown(report: Report, *, width: int = 80, terminal: bool = False) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=terminal, color_system="truecolor" if terminal else None)
    print_summary(console, typed(samples.data(report)), PATHS)
    return file.getvalue()


MUSTS = [row.id for row in catalogue().rows.values() if row.level is Level.MUST and not row.untestable]


@pytest.mark.parametrize(("number", "width"), [(1, 120), (5, 80), (60, 80)])
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
