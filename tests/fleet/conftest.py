"""A store with a few services, its site and its register, built once."""

from __future__ import annotations

from pathlib import Path

import pytest
import registers

from conformance.fleet.site import build
from conformance.fleet.store.store import Store


@pytest.fixture(scope="session")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with published services. No test changes it."""
    return registers.filled(tmp_path_factory.mktemp("registers"))


@pytest.fixture(scope="session")
def site(registered: Path) -> Path:
    """The folder of its site. No test changes it."""
    output = registered.with_name("site")
    with Store.open(registered) as store:
        build(store, output, registers.BUILT)
    return output


@pytest.fixture(scope="session")
def register(registered: Path) -> Path:
    """The folder of its register. No test changes it."""
    output = registered.with_name("register")
    registers.built(registered, output)
    return output


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for what the suite keeps for its user, in place of that of the developer."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"
