"""The checks of the suite, collected without a run, and the requirements that they decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from textwrap import dedent

import pytest

from conformance.run.embedded_pytest import Checks, run_pytest
from conformance.run.items import needs_a_user, requirement_of


class _Collecting(Checks):
    """The plugin of pytest that keeps the checks."""

    checks: Sequence[pytest.Function] = ()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the checks."""
        self.checks = [item for item in session.items if isinstance(item, pytest.Function)]


@cache
def all_checks() -> Sequence[pytest.Function]:
    """Return the checks of the suite, collected once in a process."""
    collecting = _Collecting()
    run_pytest(collecting, "--collect-only")
    return collecting.checks


def decidable(*, public: bool) -> frozenset[str]:
    """Return the ids of the requirements that have a check; `public`: one that needs no user."""
    return frozenset(requirement_of(item).id for item in all_checks() if not (public and needs_a_user(item)))


def traces_of(check: object, requirement_id: str) -> str:
    """Return the smallest traces of a check for a requirement, without the indentation; empty if it has none."""
    found: Mapping[str, str] = getattr(check, "traces", {})
    return dedent(found.get(requirement_id, found.get("", ""))).strip("\n")
