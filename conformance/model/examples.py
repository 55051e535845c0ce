"""Recorded examples of each requirement: a call that a conforming service answers, and one that a faulty service does.

They are written by `python -m conformance.calibration.examples`, which runs the checks of the requirement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

FILE: Final = "examples.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An exchange as text: the request, and the response or why there is none."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What a run of the checks of one requirement recorded."""

    message: str
    """What the run said about the faulty service; of an open matter, about the reference service."""
    good: Shown
    """An exchange with the reference service."""
    fault: str = ""
    """The faulty service; empty for an open matter, which no service violates."""
    steps: tuple[str, ...] = ()
    """The calls that show the violation, if one alone does not."""
    bad: Shown | None = None
    """The exchange that shows the violation; None for an open matter."""


@cache
def examples() -> Mapping[str, Example]:
    """Return the examples that ship with the suite, by requirement; a requirement that no client can test has none."""
    return msgspec.json.decode((files("conformance") / "calibration" / FILE).read_bytes(), type=dict[str, Example])
