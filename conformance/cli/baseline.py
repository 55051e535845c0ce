"""A recorded run whose failures are known: `check --baseline RUN` fails for other failures only.

The report stays as it is, with the outcome does-not-conform. The exit code alone differs.
"""

from __future__ import annotations

from pathlib import Path

import click

from conformance.model.printable import printable
from conformance.model.report import Report
from conformance.model.text import count
from conformance.model.verdict import Verdict
from conformance.reports.exit_code import accused, exit_code, new_failures, undecided_since
from conformance.reports.failures import failing

_SOUND = (Verdict.PASS, Verdict.OBSERVED)


def print_news(path: Path, before: Report, report: Report) -> None:
    """Print what is new in `report` since the baseline at `path`, and its exit code where the baseline changes it."""
    known, new = accused(before), new_failures(report, before)
    sound = {row.id for row in report.requirements if row.verdict in _SOUND} - accused(report)
    gone = len(known & sound)
    code = exit_code(report, before)
    lines = [f"Baseline {path} ({before.started}): {count(len(failing(report)), 'failure')}, {_named(new)} new."]
    if before.suite.catalogue != report.suite.catalogue:
        lines.append(_of_another_catalogue(before))
    lines += [f"{count(gone, 'failure')} of the baseline did not occur. Record a new baseline."] if gone else []
    if code is not exit_code(report):
        undecided = undecided_since(report, before)
        why = f", because the run did not decide {', '.join(undecided)}" if undecided else ""
        lines += [f"The service does not conform. With --baseline the exit code is {int(code)}{why}."]
    click.echo("\n".join(map(printable, lines)))


def _of_another_catalogue(before: Report) -> str:
    from conformance.trust import builds  # no part of a run

    made_by = builds.named(before.suite.version, before.suite.build)
    return (
        f"The baseline was made by {made_by}, with another catalogue of requirements. They cannot be compared "
        "exactly: a new failure may come from the suite. Record a new baseline."
    )


def _named(ids: list[str]) -> str:
    return f"{len(ids):,} ({', '.join(ids)})" if ids else "none"
