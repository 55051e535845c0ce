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
from conformance.runner.plugin import ProgressListener
from conformance.runner.run import check

STILL_CALL = {
    "test_3_at_the_same_time.py",
    "test_4_1_refused.py",
    "test_8_limit.py",
}
"""The files whose checks still make calls. The list only becomes shorter; pyproject.toml has the same files."""

FILES = sorted(path.name for path in Path(CHECKS).glob("test_*.py"))
CLIENTS = {"service", "public_client"}
"""The fixtures that make calls."""


def clients_in(name: str) -> set[str]:
    """Return the fixtures and modules in a file of checks by which it could make a call."""
    tree = ast.parse((Path(CHECKS) / name).read_text("utf-8"))
    arguments = {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}
    modules = {each.module or "" for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    return arguments & CLIENTS | {
        each for each in modules if each.startswith(("conformance.http", "conformance.client"))
    }


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_checks_has_no_client_unless_it_is_listed(name: str) -> None:
    assert bool(clients_in(name)) == (name in STILL_CALL), clients_in(name)


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
def test_no_check_of_a_run_makes_a_call_unless_its_file_is_listed(fault: str | None) -> None:
    calls, bend = Calls(), FAULTS[fault] if fault else None
    with session_over(bend=bend) as session:
        check(session, Plan(), ProgressListener(), plugins=[calls])

    assert {name.partition("::")[0] for name in calls.by_check} <= STILL_CALL
