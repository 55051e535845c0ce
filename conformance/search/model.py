"""What a play knows of each request, and what it says when a prediction fails."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.model.exchange import Exchange
from conformance.model.identity import Created
from conformance.search.step import Steps


@dataclass
class CounterExample:
    """A prediction that failed, and the steps that led there: those to take again, and all that were taken."""

    requirement: str
    message: str
    expected: str
    actual: str
    exchanges: list[Exchange]
    asked: Steps
    taken: list[tuple[str, Exchange]]


@dataclass
class Held:
    """What the model knows of a request; `seen` and `deletions` are numbers of steps."""

    created: Created
    seen: int
    deleted: bool = False
    open: bool = False
    """Whether it may have completed, so that nothing is predicted of it but its deletion."""
