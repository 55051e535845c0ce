"""Pages: templates are compiled once for an installation, and that of pytest-html describes the run alone."""

from __future__ import annotations

import re
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
from jinja2 import Environment, FileSystemBytecodeCache
from report_samples import typed

from conformance.reports import pages, pytest_page
from conformance.trace.har import exchanges_of


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of compiled modules, in another installation."""
    module = tmp_path / "pages.py"
    module.write_bytes(Path(pages.__file__).read_bytes())
    monkeypatch.setattr(pages, "__file__", str(module))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder = tmp_path / "__pycache__"
    folder.mkdir()
    return folder


def _loaded() -> None:
    pages._environment.__wrapped__().get_template("head.html")


def test_a_template_is_compiled_once_and_again_for_other_settings(
    compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    _loaded()
    assert not list(compiled.iterdir())  # nothing is kept where Python keeps nothing
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    _loaded()
    before = set(compiled.iterdir())
    assert before

    with monkeypatch.context() as patched:
        patched.setattr(Environment, "compile", lambda *_: pytest.fail("it is compiled again"))
        _loaded()
    module = compiled.parent / "pages.py"
    module.write_bytes(module.read_bytes() + b"# other settings")
    _loaded()
    assert set(compiled.iterdir()) > before


@pytest.mark.usefixtures("compiled")
def test_a_full_disk_stops_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(FileSystemBytecodeCache, "dump_bytecode", full)

    _loaded()


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
