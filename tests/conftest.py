"""The browser of the tests of HTML pages, which is started once for each file, and the memory of a worker."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = ["raw_server", "commands"]
"""The fixtures of tests that speak to a server of their own, and of those that run a command (`tests/support`)."""

LONGEST = {"test_site", "test_tutorial"}
SHARING = {"site", "store"}
"""Folders whose tests share stores, built sites and a database server: each worker that gets some makes its own."""

# Hundreds of processes of the suite are started, and without bytecode each would compile it anew: images of containers
# switch it off.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The tests reach their services directly, whatever proxies the machine has.
for name in [each for each in os.environ if each.lower().endswith("_proxy")]:
    del os.environ[name]

# What the suite keeps for its user is kept for this test run only.
_state = tempfile.TemporaryDirectory(prefix="drsi-state-")
os.environ["XDG_STATE_HOME"] = _state.name
_tests = count()

# A shell lets what it starts in the background ignore SIGINT, and the tests of interrupts would do so with it.
signal.signal(signal.SIGINT, signal.default_int_handler)

IN_CI = os.environ.get("CI") == "true"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--renderer-process-limit=1",
]


@pytest.hookimpl(optionalhook=True)  # without xdist, tests run as well
def pytest_xdist_auto_num_workers() -> int:
    """Return the workers of `-n auto`: two more than cores, because tests wait for processes, servers and a browser."""
    return (os.cpu_count() or 1) + 2


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Let a worker that has no test left take tests of another, if `-n` is there and no `--dist` says otherwise."""
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "worksteal"


def pytest_runtest_setup() -> None:
    """Give each test a cache of its own: what a test replaces in this process changes no recorded trial of another."""
    os.environ["XDG_CACHE_HOME"] = str(Path(_state.name) / f"cache-{next(_tests)}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that take longest, so that no worker ends with one of them while the others have none.

    Tests that share something come next: xdist gives long pieces at first, so that one worker gets all of them.
    """
    items.sort(key=lambda item: (item.path.stem not in LONGEST, item.path.parent.name not in SHARING))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Search for no garbage while the tests are collected, which frees little, nor among them afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        # Frozen objects no longer count as old ones, so a full search would be made too often.
        gc.set_threshold(5_000)


@pytest.fixture(scope="module")  # with a longer scope, its event loop would run during other tests
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if not IN_CI:
        pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
        pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
        if chromium is None:
            pytest.skip("chromium is not installed")
    assert chromium is not None, "chromium is not installed, and CI must not do without"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser
        browser.close()
