"""The databases of the tests: SQLite, and a PostgreSQL server that this session starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import postgres
import pytest
from stored_runs import recorded_run

from conformance.fleet.store.store import Store


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    with postgres.started() as server:
        yield server


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database for a store, which is empty: of SQLite, or of the kind that the test names."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return str(tmp_path / "audits.sqlite")
    server: postgres.Server = request.getfixturevalue("server")
    return server.new_database()


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    return tmp_path / "evidence"


@pytest.fixture
def store(url: str, evidence: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.open(url, str(evidence), create=True) as store:
        yield store


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that failed one requirement. No test changes it."""
    return recorded_run(tmp_path_factory.mktemp("runs") / "run", failing=["4.3-answers-ok"])
