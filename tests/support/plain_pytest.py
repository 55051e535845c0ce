"""What tests of the plugin read in the output of pytest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from cli_services import Result

Run = Callable[..., Result]
"""Runs pytest with some arguments."""


def outcomes(file: Path) -> dict[str, str]:
    """Return the outcome of each test in a file of --junitxml, by its name."""
    cases = ElementTree.parse(file).iter("testcase")
    return {
        case.attrib["name"]: next((each.tag for each in case if each.tag != "properties"), "passed") for case in cases
    }
