"""The site of a store with a few services, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.fleet.site import build
from conformance.fleet.store.store import Store

BUILT = "2026-04-01T05:00:00.000Z"


@pytest.fixture(scope="session")
def site(registered: Path) -> Path:
    """The folder of the site. No test changes it."""
    output = registered.with_name("site")
    with Store.open(registered) as store:
        build(store, output, BUILT)
    return output
