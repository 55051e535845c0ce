"""What tests of the plugin read in the output of pytest."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli_services import Result

from conformance.generation.sequences import Search
from conformance.generation.walk import Walk

Run = Callable[..., Result]
"""Runs pytest with some arguments."""


def outcomes(file: Path) -> dict[str, str]:
    """Return the outcome of each test in a file of --junitxml, by its name."""
    cases = ElementTree.parse(file).iter("testcase")
    return {
        case.attrib["name"]: next((each.tag for each in case if each.tag != "properties"), "passed") for case in cases
    }


@contextmanager
def limit_in_the_sequences() -> Iterator[None]:
    """Let the time limit of a test be over in a generated sequence, as pytest-timeout says it: with an alarm."""
    usual = Search.begin

    def over(*_: object) -> None:
        pytest.fail("Timeout (>1.0s)")

    def begin(search: Search, walk: Walk) -> None:
        usual(search, walk)
        signal.raise_signal(signal.SIGALRM)

    before = signal.signal(signal.SIGALRM, over)
    Search.begin = begin  # type: ignore[method-assign]
    try:
        yield
    finally:
        Search.begin = usual  # type: ignore[method-assign]
        signal.signal(signal.SIGALRM, before)


def calls(result: Result) -> int:
    """Return how many exchanges a run says that it made."""
    found = re.search(r"^(\d+) exchanges", result.out, re.MULTILINE)
    assert found, result.out + result.err
    return int(found[1])
