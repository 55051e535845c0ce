"""The requirements that the checks of a profile decide, as pytest collects them."""

from __future__ import annotations

from importlib.resources import as_file, files

import pytest

from conformance.runner.plugin import USER_FIXTURE, requirement_of
from conformance.runner.quiet_pytest import MARKS, options
from conformance.scenarios.registry import SCENARIOS
from conformance.scenarios.schedule import fixtures


class _Collector:
    def __init__(self, *, public: bool) -> None:
        self._public = public
        self.ids: set[str] = set()

    def pytest_configure(self, config: pytest.Config) -> None:
        config.pluginmanager.register(fixtures(SCENARIOS.values()))
        for mark in MARKS:
            config.addinivalue_line("markers", mark)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if not (self._public and USER_FIXTURE in getattr(item, "fixturenames", ())):
                self.ids.add(requirement_of(item).id)


def decidable(*, public: bool) -> frozenset[str]:
    """Return the ids of the requirements that have a check; `public`: one that needs no user."""
    collector = _Collector(public=public)
    with as_file(files("conformance") / "checks") as checks:
        pytest.main(options(str(checks), str(checks / "pytest.ini"), ["--collect-only"]), plugins=[collector])
    return frozenset(collector.ids)
