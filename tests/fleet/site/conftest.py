"""A store with a few services, its site and its register, built once."""

from __future__ import annotations

from pathlib import Path

import pytest
import registers

from conformance.fleet.site import build
from conformance.fleet.store.store import Store

BUILT = "2026-04-01T05:00:00.000Z"


@pytest.fixture(scope="session")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with published services. No test changes it."""
    return registers.filled(tmp_path_factory.mktemp("registers"))


@pytest.fixture(scope="session")
def site(registered: Path) -> Path:
    """The folder of the site. No test changes it."""
    output = registered.with_name("site")
    with Store.open(registered) as store:
        build(store, output, BUILT)
    return output


@pytest.fixture(scope="session")
def register(registered: Path) -> Path:
    """The folder of its register. No test changes it."""
    output = registered.with_name("register")
    registers.built(registered, output)
    return output
