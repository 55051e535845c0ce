"""A check makes no call: scenarios do, and a check reads what they recorded."""

from __future__ import annotations

import ast
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from whole_runs import session_over

from conformance.calibration.faults import FAULTS
from conformance.runner.items import CHECKS, RUN
from conformance.runner.options import Plan
from conformance.runner.progress import ProgressListener
from conformance.runner.run import check

FILES = sorted(path.name for path in Path(CHECKS).glob("test_*.py"))
NOT_READ = {"session", "check_here", "consulted", "result", "so_far"}
"""Members by which a check would reach the calls of a run."""


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_checks_reaches_no_client(name: str) -> None:
    tree = ast.parse((Path(CHECKS) / name).read_text("utf-8"))
    modules = {each.module or "" for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    members = {each.attr for each in ast.walk(tree) if isinstance(each, ast.Attribute)}

    assert not [each for each in modules if each.startswith(("conformance.http", "conformance.client"))]
    assert not members & NOT_READ


class Calls:
    """Notes the checks during which a run records an exchange of theirs."""

    def __init__(self) -> None:
        self.by_check: dict[str, list[str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
        record: Any = pyfuncitem.config.stash[RUN].session.record
        before = len(record)
        try:
            return (yield)
        finally:
            made = [
                each.id for each in record.exchanges[before:] if each.check == record.check and record.is_seen(each)
            ]
            if made:
                self.by_check[pyfuncitem.nodeid.rpartition("/")[2]] = made


@pytest.mark.parametrize("fault", [None, "deletes-the-oldest", "types-split-at-commas"])
def test_no_check_of_a_run_makes_a_call(fault: str | None) -> None:
    calls, bend = Calls(), FAULTS[fault] if fault else None
    with session_over(bend=bend) as session:
        check(session, Plan(), ProgressListener(), plugins=[calls])

    assert calls.by_check == {}
