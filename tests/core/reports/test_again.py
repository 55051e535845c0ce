"""How the calls of a run are made again where the run served the application itself, and nothing listens later."""

from __future__ import annotations

from dataclasses import replace

import pytest
import report_samples

from conformance.model.report import Report
from conformance.model.verdict import Verdict
from conformance.reports.again import OF_TESTS, REFERENCE, command, line_of, to_start


def run_of(app: str | None) -> Report:
    sample = report_samples.report(findings=report_samples.broken_findings())
    target = replace(sample.target, base_url="http://127.0.0.1:24185/api")
    options = {"app": app, "empty-account": True, "language-selector": "query:lang"}
    return replace(sample, target=target, run=replace(sample.run, options=options))


@pytest.mark.parametrize(
    ("app", "line", "start"),
    [
        (None, "drsi-conformance check http://127.0.0.1:24185/api --select 4.3,8", ""),
        (
            "service:create_app()/api",
            "drsi-conformance check --app 'service:create_app()/api' --only 4.3,8",
            "drsi-conformance serve --app 'service:create_app()/api' --port 24185",
        ),
        (REFERENCE, "drsi-conformance check --only 4.3,8", "drsi-conformance serve --port 24185"),
    ],
)
def test_a_line_checks_again_and_another_serves(app: str | None, line: str, start: str) -> None:
    run = run_of(app)
    assert command(run, "4.3", "8") == f"{line} --language-selector query:lang --empty-account"
    assert to_start(run.run.options, run.target.base_url) == start


def test_the_application_of_a_fixture_is_checked_by_its_tests() -> None:
    run = run_of(OF_TESTS)
    assert command(run, "4.3", "8") == "pytest -k '4.3 or 8'"
    assert "in place of http://127.0.0.1:24185/api" in to_start(run.run.options, run.target.base_url)


def test_a_finding_that_one_call_does_not_show_names_its_script() -> None:
    run = run_of(None)
    row = next(row for row in run.requirements if row.id == "2.3-supportedLanaguages")
    finding = row.findings[0]
    assert line_of(run, row, finding) == finding.curl
    limit = replace(finding, curl="")
    assert line_of(run, row, limit, "out") == f"drsi-conformance reproduce out {row.id}"
    assert line_of(run, row, replace(limit, verdict=Verdict.OBSERVED)) == command(run, row.id)
    assert line_of(run, row, replace(limit, exchanges=())) == ""
