"""The checks of the suite, as pytest collects them, and the requirements that they decide."""

from __future__ import annotations

import pytest

from conformance.runner import quiet_pytest
from conformance.runner.items import needs_a_user, requirement_of


class _Collector:
    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = session.items


def all_checks() -> list[pytest.Item]:
    """Return the checks of the suite."""
    collector = _Collector()
    quiet_pytest.run(["--collect-only"], [collector])
    return collector.items


def decidable(*, public: bool) -> frozenset[str]:
    """Return the ids of the requirements that have a check; `public`: one that needs no user."""
    return frozenset(requirement_of(item).id for item in all_checks() if not (public and needs_a_user(item)))
