"""One step of a sequence: who does what to which request; and which steps may go when a sequence is made shorter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from conformance.service import OTHER_USER, USER, Caller

NOBODYS: Final = 0
"""The number of a request that nobody has."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one user does; `request` is the number of a request, counted from 1 in the order of creation."""

    action: Literal["create", "read", "delete"]
    request: int
    types: Literal["one", "two", "all"] = "one"
    """What a creation is for; "all" leaves the body out."""
    who: Caller = USER

    @property
    def in_words(self) -> str:
        """The step as a person would say it."""
        whose = "the other user: " if self.who == OTHER_USER else ""
        if self.action == "create":
            what = {"one": "one type", "two": "two types", "all": "all types, without a body"}[self.types]
            return f"{whose}create request {self.request} for {what}"
        return f"{whose}{self.action} {f'request {self.request}' if self.request else 'a request that nobody has'}"


Steps = tuple[Step, ...]

TOUR: Final[Steps] = (
    Step("create", 1),
    Step("read", 1, who=OTHER_USER),
    Step("read", 1),
    Step("create", 2, "all"),
    Step("create", 3, "two", OTHER_USER),
    Step("read", 1),
    Step("read", 2),
    Step("create", 4, "two"),
    Step("delete", 2),
    Step("read", 2),
    Step("delete", 2),
    Step("create", 5),
    Step("create", 6),
    Step("delete", 3, who=OTHER_USER),
    Step("create", 7),
    Step("delete", NOBODYS),
    Step("read", 1),
)
"""Where the limit is three: fill it beside another user, exchange what was read and lies in the middle, overfill it."""


def shorter(steps: Steps) -> Iterator[Steps]:
    """Yield what is left of a sequence without some of its steps, the boldest first; the last step stays."""
    last = steps[-1]
    kept: list[Steps] = [tuple(step for step in steps if step.request == last.request)]
    kept += [tuple(step for step in steps if step.who == last.who)]
    for number in dict.fromkeys(step.request for step in steps):
        if number != last.request:
            kept.append(tuple(step for step in steps if step.request != number))
    for index, step in enumerate(steps[:-1]):
        if step.action != "create":
            kept.append(steps[:index] + steps[index + 1 :])
    yield from (_renumbered(each) for each in kept if len(each) < len(steps))


def _renumbered(steps: Steps) -> Steps:
    """Return the steps with their requests counted from 1 again."""
    numbers = {NOBODYS: NOBODYS}
    for step in steps:
        numbers.setdefault(step.request, len(numbers))
    return tuple(replace(step, request=numbers[step.request]) for step in steps)
