"""The page of pytest-html describes the run alone, and is the same at each moment."""

from __future__ import annotations

import re
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
from report_samples import typed

from conformance.reports import pytest_page
from conformance.trace.har import exchanges_of

EXCHANGES = samples.evidence()


def page_of(report: dict[str, Any], evidence: dict[str, Any] = EXCHANGES) -> str:
    return pytest_page.render(typed(report), exchanges_of(evidence))


def test_the_page_describes_the_run_and_not_the_machine_and_executes_no_file_of_the_working_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for file in (tmp_path / "conftest.py", tmp_path / "tests" / "conftest.py"):
        file.parent.mkdir(exist_ok=True)
        file.write_text("raise SystemExit(9)", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BUILD_URL", "https://ci.example/secret-job")
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    report = samples.data(samples.report())

    page = page_of(report)

    assert "Conformance of" in page
    assert report["suite"]["version"] in page
    assert "secret-job" not in page
    assert "pytest_page.py" not in page
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=\"?(?!\")[^\"> ]", page)


def test_a_run_has_the_same_page_at_each_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    report = samples.data(samples.report())
    page = page_of(report)
    monkeypatch.setattr(time, "time", lambda: 4_000_000_000.0 + next(seconds))
    seconds = count()

    assert page_of(report) == page
    assert f"Report of the run of {report['started']} by" in page
    assert "generated on" not in page
    assert " took " not in page


def test_what_pytest_cannot_finish_is_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug of the suite")

    monkeypatch.setattr(pytest_page.summary, "run_id", broken)
    with pytest.raises(RuntimeError, match="no whole page"):
        page_of(samples.data(samples.report()))
