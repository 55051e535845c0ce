"""The checks as pytest collects them, and the requirements that those of a profile decide."""

from __future__ import annotations

import pytest

from conformance.runner.plugin import needs_a_user, requirement_of
from conformance.runner.quiet_pytest import run


class _Collector:
    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = session.items


def collected() -> list[pytest.Item]:
    """Return the checks of the suite."""
    collector = _Collector()
    run(["--collect-only"], [collector])
    return collector.items


def decidable(*, public: bool) -> frozenset[str]:
    """Return the ids of the requirements that have a check; `public`: one that needs no user."""
    return frozenset(requirement_of(item).id for item in collected() if not (public and needs_a_user(item)))
