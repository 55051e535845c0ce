"""The page of pytest-html, for people who know it: a test for each requirement, red where that of JUnit is.

An inner session of pytest yields the tests, and pytest-html writes what it always writes of a session. No call is made.
pytest-html puts cells, values of its environment and extras into the page as they are: everything is escaped here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator, Sequence
from html import escape
from importlib import metadata
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from xml.etree import ElementTree as ET

import pytest

from conformance import NAME
from conformance.model.exchange import Exchange
from conformance.model.printable import clip, printable
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.verdict import Verdict
from conformance.reports import basis, exchange_text, junit, outcome, people, sections, summary

_EXCHANGES: Final = 5
"""How many exchanges of a requirement the page shows; report.json names all of them."""
_TEXTS: Final = (Verdict.FAIL, Verdict.WARN)
"""The verdicts whose exchanges are shown with headers and bodies."""
_LIMIT: Final = 2048
_UNNEEDED: Final = (
    *("cacheprovider", "capture", "faulthandler", "logging", "terminal", "threadexception", "unraisableexception"),
    "warnings",
)
"""Plugins of pytest that the inner session does without: they would write, or change what surrounds it."""
_MOMENT: Final = re.compile(r"(?<=<p>Report )generated on [^<]{1,60}(?= by <a)")
_DURATION: Final = re.compile(r"(?<=tests) took [^<]{1,60}(?=\.</p>)")


def render(report: Report, exchanges: Sequence[Exchange]) -> str:
    """Return the page, complete in one file.

    pytest-html writes when it made the page, and how long that took. Both go: the same run gives the same page.
    """
    plugin = _Tests(report, {exchange.id: exchange for exchange in exchanges})
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as environment:
        for variable in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
            environment.delenv(variable, raising=False)
        page = Path(folder) / "page.html"
        code = pytest.main(
            [
                *("-c", os.devnull, f"--rootdir={folder}", "--disable-plugin-autoload", "--noconftest"),
                *("-p", "pytest_metadata.plugin", "-p", "pytest_html.plugin"),
                *(word for name in _UNNEEDED for word in ("-p", f"no:{name}")),
                *(f"--html={page}", "--self-contained-html"),
            ],
            plugins=[plugin],
        )
        if code == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            raise RuntimeError(f"pytest-html wrote no whole page: pytest ended with {code!r}")
        moment = escape(f"of the run of {report.started}")
        return _DURATION.sub("", _MOMENT.sub(moment, page.read_text("utf-8")))


def version() -> str:
    """Return the version of pytest-html that is installed, which the page names."""
    return metadata.version("pytest-html")


def made_with(page: bytes) -> str:
    """Return the version of pytest-html that a page names; empty if it names none."""
    found = re.search(rb">pytest-html</a>\s+v([0-9.]{1,20})</p>", page)
    return found[1].decode() if found else ""


class _Failed(Exception):
    """The end of a test that is not green; its text is the finding."""


class _Test(pytest.Item):
    """A requirement, or the run as a whole, as a test that ends as the test case of JUnit does."""

    case: ET.Element
    row: RequirementResult | None

    def setup(self) -> None:
        """End where the requirement was not decided, but has to be: pytest-html counts it as an error."""
        self._end("error")

    def runtest(self) -> None:
        """End with the failure, or the reason why the requirement was not tested."""
        if self.row is not None:
            self.add_report_section("call", "requirement", printable(f"{self.row.level}: {basis.stated(self.row)}"))
        self._end("failure")
        if (skipped := self.case.find("skipped")) is not None:
            raise pytest.skip.Exception(skipped.get("message", ""))
        for output in self.case.iter("system-out"):
            self.add_report_section("call", "findings", output.text or "")

    def _end(self, tag: str) -> None:
        found = self.case.find(tag)
        if found is not None:
            raise _Failed("\n\n".join(filter(None, [found.get("message"), found.text])))

    def reportinfo(self) -> tuple[str, None, str]:
        """Return the name of the test, which stands in no file."""
        return NAME, None, self.name


class _Tests:
    """A plugin that yields a test for each test case of JUnit, and describes it to pytest-html."""

    def __init__(self, report: Report, exchanges: dict[str, Exchange]) -> None:
        self._report = report
        self._exchanges = exchanges
        self._tests: dict[str, _Test] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Collect the requirements in place of files."""
        rows = {row.id: row for row in self._report.requirements}
        for case in junit.tree(self._report).iter("testcase"):
            name = case.get("name", "")
            test = _Test.from_parent(session, name=name, nodeid=name if name in rows else f"run {len(self._tests)}")
            test.case, test.row = case, rows.get(name)
            self._tests[test.nodeid] = test
        session.items = list(self._tests.values())
        session.testscollected = len(session.items)
        session.config.hook.pytest_collection_finish(session=session)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: _Test, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Give a report the duration of its checks, the exchanges that show a failure, and no traceback."""
        report = yield
        if call.excinfo is not None:
            report.longrepr = printable(str(call.excinfo.value), keep="\n\t")
        report.duration = item.row.seconds if item.row is not None and call.when == "call" else 0.0
        if report.outcome == "failed" or (call.when == "call" and item.row is not None and item.row.verdict in _TEXTS):
            report.extras = list(self._texts(item))
        return report

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_metadata(self, metadata: dict[str, str]) -> None:
        """Describe the run in place of the machine that makes the page, and of the variables of its CI system."""
        report = self._report
        metadata.clear()
        facts = {"Service": report.target.base_url} | sections.facts(report)
        metadata |= {name: _html(text) for name, text in facts.items()}
        metadata |= {f"Label {printable(name)}": _html(value) for name, value in report.run.labels.items()}

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        """Name the page for the service; the template escapes it."""
        report.title = printable(f"Conformance of {self._report.target.base_url}")

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Begin with the outcome."""
        report = self._report
        sentences = (outcome.headline(report), outcome.outcome_sentence(report), summary.numbers_sentence(report))
        prefix += [f"<p>{_html(sentence)}</p>" for sentence in sentences]

    def _texts(self, test: _Test) -> Iterator[dict[str, str]]:
        from pytest_html import extras  # type: ignore[import-untyped]

        if test.row is None:
            return
        if said := people.reply_to(self._report, test.row.id):
            yield extras.html(f"<p>{_html(said)}</p>")
        ids = dict.fromkeys(each for finding in test.row.findings for each in finding.exchanges)
        found = (self._exchanges.get(each) for each in ids or test.row.evidence.exchanges)
        for exchange in islice(filter(None, found), _EXCHANGES):
            answer = exchange_text.answer(exchange) or exchange_text.trouble(exchange)
            shown = printable(f"{exchange.id}\n{exchange_text.question(exchange)}\n\n{answer}", keep="\n\t")
            yield extras.html(f"<pre>{escape(shown)}</pre>")


def _html(text: str) -> str:
    return escape(printable(clip(text, _LIMIT)))
