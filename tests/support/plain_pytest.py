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

from conformance.generation.sequences import Walk

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
    usual = Walk.look

    def over(*_: object) -> None:
        pytest.fail("Timeout (>1.0s)")

    def look(walk: Walk) -> None:
        usual(walk)
        signal.raise_signal(signal.SIGALRM)

    before = signal.signal(signal.SIGALRM, over)
    Walk.look = look  # type: ignore[method-assign]
    try:
        yield
    finally:
        Walk.look = usual  # type: ignore[method-assign]
        signal.signal(signal.SIGALRM, before)


def calls(result: Result) -> int:
    """Return how many exchanges a run says that it made."""
    found = re.search(r"^(\d+) exchanges", result.out, re.MULTILINE)
    assert found, result.out + result.err
    return int(found[1])
