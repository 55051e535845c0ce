"""A store with a few services, and its register, built once."""

from __future__ import annotations

from pathlib import Path

import pytest
import registers


@pytest.fixture(scope="session")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with published services. No test changes it."""
    return registers.filled(tmp_path_factory.mktemp("registers"))


@pytest.fixture(scope="session")
def register(registered: Path) -> Path:
    """The folder of its register. No test changes it."""
    output = registered.with_name("register")
    registers.built(registered, output)
    return output
