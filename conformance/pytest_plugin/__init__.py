"""The plugin of pytest that runs the checks: `pytest -p conformance.pytest_plugin --pyargs conformance.checks …`.

docs/pytest.md describes the options.
"""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.pytest_plugin.own_tests import (
    Requirements,
    drsi_app,
    drsi_report,
    drsi_requirement,
    pytest_collection_modifyitems,
    pytest_generate_tests,
)
from conformance.pytest_plugin.requirement_warning import RequirementWarning
from conformance.pytest_plugin.settings import declare, settings_of

if TYPE_CHECKING:
    from conformance.run.items import CheckModule

__all__ = [
    "RequirementWarning",
    "Requirements",
    "drsi_app",
    "drsi_report",
    "drsi_requirement",
    "pytest_collection_modifyitems",
    "pytest_generate_tests",
]

_CHECKS = Path(__file__).parents[1] / "checks"
_MARKERS = (
    "requirement(id): the requirement a check decides",
    "first: a check that runs first",
    "last: a check that runs last",
    "scenarios(names): the scenarios that make the calls of a requirement that one exchange decides",
    "needs(names): results without which a check has nothing to judge",
    "place(numbers): where the run makes these calls",
    "must: a check of a requirement of this level",
    "should: a check of a requirement of this level",
    "open: a check of a requirement of this level",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the settings."""
    declare(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers, and refuse workers: their sessions share no run."""
    for line in _MARKERS:
        config.addinivalue_line("markers", line)
    if _asks_for_checks(config) and not config.option.collectonly:
        from conformance.pytest_plugin.options import refuse_workers

        refuse_workers(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CheckModule | None:
    """Collect a file of checks also where `python_files` has other names."""
    if not _is_check_file(file_path) or parent.session.isinitpath(file_path):
        return None
    if any(fnmatch(file_path.name, pattern) for pattern in parent.config.getini("python_files")):
        return None
    return pytest_pycollect_makemodule(file_path, parent)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> CheckModule | None:
    """Collect a file of checks."""
    if not _is_check_file(module_path):
        return None
    from conformance.run.items import CheckModule

    return CheckModule.from_parent(parent, path=module_path)


def _asks_for_checks(config: pytest.Config) -> bool:
    places = [str(each).partition("::")[0] for each in config.args]
    return any(each.startswith("conformance.checks") or Path(each).is_relative_to(_CHECKS) for each in places)


def _is_check_file(path: Path) -> bool:
    return path.parent == _CHECKS and path.name.startswith("test_")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let -k and -m select a check by the id and the level of its requirement."""
    if _is_check_file(item.path):
        from conformance.run.items import requirement_of

        row = requirement_of(item)
        item.extra_keyword_matches.add(row.id)
        item.add_marker(row.level.value)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Prepare the run of the checks among the tests, if there are any."""
    config = session.config
    if config.option.collectonly or not any(_is_check_file(item.path) for item in session.items):
        return
    from conformance.pytest_plugin.check_items import CheckItems
    from conformance.pytest_plugin.options import usage_errors
    from conformance.run.items import RUN

    with usage_errors():
        given = settings_of(config).params
    if not (given["base_url"] or given["app"] or config.option.drsi_evidence):
        raise pytest.UsageError(
            "The checks of conformance.checks need a service: add --drsi-base-url URL or --drsi-app MODULE:APP, and "
            "the tokens as DRSI_TOKEN and DRSI_OTHER_TOKEN. Or judge a recorded run with --drsi-evidence RUN."
        )
    checks = config.stash[RUN] = CheckItems(session)
    config.pluginmanager.register(checks, "drsi-checks")
