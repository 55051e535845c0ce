from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from cli_services import OTHER_TOKEN, TOKEN, Result
from plain_pytest import Run


@pytest.fixture
def folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a user with tests of their own; the tokens are in the environment."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("DRSI_TOKEN", TOKEN)
    monkeypatch.setenv("DRSI_OTHER_TOKEN", OTHER_TOKEN)
    (folder / "pytest.ini").write_text("[pytest]\n")
    return folder


@pytest.fixture
def plain_pytest(folder: Path, capfd: pytest.CaptureFixture[str]) -> Run:  # noqa: ARG001
    """Run pytest in this process, in `folder`, as a user does."""

    def run(*arguments: str) -> Result:
        capfd.readouterr()
        # This process has imported the modules of the plugin, and will import other tests of the same name.
        options = ("--assert=plain", "--import-mode=importlib", "-p", "no:xdist", "-p", "conformance.pytest_plugin")
        with warnings.catch_warnings():
            warnings.resetwarnings()
            code = pytest.main([*options, *arguments])
        return Result(int(code), *capfd.readouterr())

    return run


@pytest.fixture
def run_checks(plain_pytest: Run) -> Run:
    """Run the checks against a service."""

    def run(base_url: str, *arguments: str) -> Result:
        return plain_pytest("--pyargs", "conformance.checks", "--drsi-base-url", base_url, *arguments)

    return run
