"""The log of the checks by pytest-html: requirement, check and exchanges, without secrets or live markup."""

from __future__ import annotations

import html
from collections.abc import MutableMapping
from typing import Any

import pytest

from conformance import NAME, __version__
from conformance.http.replay import Conditions
from conformance.http.session import Session
from conformance.model.requirements import catalogue
from conformance.model.text import printable
from conformance.reports import basis
from conformance.reports.exchange_text import exchange_text
from conformance.runner.run import evidence_of

_COLUMN = 1


class HtmlLog:
    """A plugin for pytest-html, which puts the results of its hooks into the page as HTML."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_metadata(self, metadata: MutableMapping[str, Any]) -> None:
        """Describe the checked service instead of the machine and its environment."""
        metadata.clear()
        metadata["Target"] = self._safe(self._session.target.base_url)
        metadata["Suite"] = f"{NAME} {__version__}"
        metadata["Specification"] = catalogue().edition.digest
        metadata["Seed"] = str(self._session.seed)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        """Name the page."""
        report.title = f"{NAME}: log of the checks"

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_header(self, cells: list[str]) -> None:
        """Add a column for the requirement."""
        cells.insert(_COLUMN, '<th class="sortable" data-column-type="requirement">Requirement</th>')

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_row(self, report: pytest.TestReport, cells: list[str]) -> None:
        """Name the requirement, and show the check's name as text."""
        requirement = _requirement(report)
        cells[_COLUMN] = f'<td class="col-testId">{self._safe(_check(report))}</td>'
        cells.insert(_COLUMN, f'<td class="col-requirement">{self._safe(requirement)}</td>')

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_html(self, report: pytest.TestReport, data: list[str]) -> None:
        """Replace the text of pytest by the finding of the check and its exchanges."""
        if report.passed and report.when != "call":
            return  # not shown
        exchanges = [each for each in self._session.record.in_order() if each.check == _check(report)]
        evidence = evidence_of(exchanges, self._session.secrets.redactor, Conditions())
        # The finding itself, without its place in the suite's own files.
        parts = [str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else report.longreprtext]
        if row := catalogue().rows.get(_requirement(report)):
            parts += basis.lines({}, basis.of_catalogue(row))
        for entry in evidence["log"]["entries"]:
            text = exchange_text(evidence, entry)
            parts.append(f"---- {entry['_id']}\n{text.question}\n\n{text.answer or text.trouble}")
        data[:] = [self._safe(f"{part}\n") for part in parts if part] or ["No exchanges."]

    def _safe(self, text: str) -> str:
        return html.escape(printable(self._session.secrets.text(text), keep="\n"))


def _requirement(report: pytest.TestReport) -> str:
    return str(dict(report.user_properties).get("requirement", ""))


def _check(report: pytest.TestReport) -> str:
    return report.nodeid.rpartition("/")[2]
