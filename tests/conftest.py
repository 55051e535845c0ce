from __future__ import annotations

import pytest

from conformance.runner.quiet_pytest import MARKS


def pytest_configure(config: pytest.Config) -> None:
    # Importing the checks names their marks, which their own pytest declares but this one does not know.
    for mark in MARKS:
        config.addinivalue_line("markers", mark)
