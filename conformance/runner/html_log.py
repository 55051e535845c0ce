"""What pytest-html's log of the checks says: requirement, check, and every exchange, without secrets or live markup."""

from __future__ import annotations

import html
from collections.abc import MutableMapping
from typing import Any

import pytest

from conformance import NAME, __version__
from conformance.http.session import Session
from conformance.model.text import printable
from conformance.reports.exchange_text import ExchangeText, exchange_text
from conformance.runner.evidence import evidence_of

_COLUMN = 1


class HtmlLog:
    """A plugin for pytest-html, which takes what its hooks return as HTML and puts it into the page as it is."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_metadata(self, metadata: MutableMapping[str, Any]) -> None:
        """Say what was checked instead of describing the machine and its environment."""
        metadata.clear()
        metadata["Target"] = self._safe(self._session.target.base_url)
        metadata["Suite"] = f"{NAME} {__version__}"
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
        requirement = str(dict(report.user_properties).get("requirement", ""))
        cells[_COLUMN] = f'<td class="col-testId">{self._safe(_check(report))}</td>'
        cells.insert(_COLUMN, f'<td class="col-requirement">{self._safe(requirement)}</td>')

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_html(self, report: pytest.TestReport, data: list[str]) -> None:
        """Replace what pytest would tell of the check by what it said and by its exchanges."""
        if report.passed and report.when != "call":
            return  # not shown
        exchanges = [each for each in self._session.record.in_order() if each.check == _check(report)]
        evidence = evidence_of(exchanges, self._session.secrets.redactor)
        texts = [exchange_text(evidence, entry) for entry in evidence["log"]["entries"]]
        parts = [part for part in (_said(report), *map(_lines, texts)) if part]
        data[:] = [self._safe(f"{part}\n") for part in parts] or ["No exchanges."]

    def _safe(self, text: str) -> str:
        return html.escape(printable(self._session.secrets.text(text), keep="\n"))


def _check(report: pytest.TestReport) -> str:
    return report.nodeid.rpartition("/")[2]


def _said(report: pytest.TestReport) -> str:
    """Return what the check said, without the place in the suite's own files that pytest notes beside it."""
    return str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else report.longreprtext


def _lines(text: ExchangeText) -> str:
    return f"---- {text.id}\n{text.question}\n\n{text.answer or text.trouble}"
