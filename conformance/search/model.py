"""What a play knows of each request, and what it says when a prediction fails."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.caller import Created
from conformance.exchange import Exchange
from conformance.expect import answer_of
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
    doubtful: bool = False
    """Whether something else can be behind it, so that only a sequence that leaves that out proves it."""


@dataclass
class Held:
    """What the model knows of a request; `seen` and `deletions` are numbers of steps."""

    created: Created
    seen: int
    deleted: bool = False
    open: bool = False
    """Whether it may have completed, so that nothing is predicted of it but its deletion."""


def state_of(read: Exchange) -> bool | None:
    """Return isCompleted of a reading, or None when it shows no state."""
    value = answer_of(read).document.value
    state = value.get("isCompleted") if isinstance(value, dict) and answer_of(read).status == 200 else None
    return state if isinstance(state, bool) else None
