from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    # Importing the checks names their marks, which their own pytest declares but this one does not know.
    for mark in ("requirement(id): the requirement a check decides", "first: runs first", "last: runs last"):
        config.addinivalue_line("markers", mark)
