"""One step of a sequence: who does what to which request; and which steps may go when a sequence is made shorter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from conformance.model.identity import OTHER_USER, USER, Identity

NOBODYS: Final = 0
"""The number of a request that nobody has."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one user does; `request` is the number of a request, counted from 1 in the order of creation."""

    action: Literal["create", "read", "delete"]
    request: int
    types: Literal["one", "two", "all"] = "one"
    """What a creation is for; "all" leaves the body out."""
    who: Identity = USER

    @property
    def in_words(self) -> str:
        """The step as a person would say it."""
        whose = "the other user: " if self.who == OTHER_USER else ""
        if self.action == "create":
            what = {"one": "one type", "two": "two types", "all": "all types, without a body"}[self.types]
            return f"{whose}create request {self.request} for {what}"
        return f"{whose}{self.action} {f'request {self.request}' if self.request else 'a request that nobody has'}"


Steps = tuple[Step, ...]

TOUR: Final[tuple[Steps, ...]] = (
    (Step("create", 1),),
    (Step("read", 1, who=OTHER_USER), Step("read", 1)),
    (Step("create", 2, "all"),),
    (Step("read", 1), Step("read", 2)),
    (Step("create", 3, "two"),),
    (Step("delete", 2),),
    (Step("read", 2), Step("delete", 2)),
    (Step("create", 4),),
    (Step("read", 2),),
    (Step("create", 5),),
    (Step("create", 6, "two", OTHER_USER),),
    (Step("read", 1),),
    (Step("delete", 6, who=OTHER_USER),),
    (Step("create", 7),),
    (Step("delete", NOBODYS),),
    (Step("read", 6, who=OTHER_USER), Step("read", 1)),
)
"""Where the limit is three: fill it, exchange the one in the middle, which was read, overfill it.

And a second user, who creates one only and deletes it, so that nothing is left.

What stands together is asked side by side: by then it changes nothing."""


def swapped(steps: Steps) -> Steps:
    """Return what the two users do with their parts exchanged."""
    return tuple(replace(step, who=USER if step.who == OTHER_USER else OTHER_USER) for step in steps)


def shorter(steps: Steps) -> Iterator[Steps]:
    """Yield what is left of a sequence without some of its steps, the boldest first; the last step stays.

    At last come the same sequence with every creation for one type, and with the first user in the second one's part.
    """
    last, body = steps[-1], steps[:-1]
    others = [number for number in dict.fromkeys(step.request for step in body) if number != last.request]

    def only(wanted: Callable[[Step], bool]) -> Steps:
        return (*(step for step in body if wanted(step)), last)

    kept = [only(lambda step: step.request == last.request)]
    kept += [only(lambda step, other=other: step.request in (last.request, other)) for other in others]  # type: ignore[misc]
    kept += [only(lambda step: step.who == last.who and step.action != "read")]
    kept += [only(lambda step: step.who == last.who), only(lambda step: step.action != "read")]
    kept += [only(lambda step, other=other: step.request != other) for other in others]  # type: ignore[misc]
    kept += [(*body[:index], *body[index + 1 :], last) for index, step in enumerate(body) if step.action != "create"]
    kept.append(tuple(replace(step, types="one") for step in steps))
    kept += [swapped(steps)] if steps[0].who == OTHER_USER else []
    yield from (_renumbered(each) for each in kept if each != steps)


def _renumbered(steps: Steps) -> Steps:
    """Return the steps with their requests counted from 1 again."""
    numbers = {NOBODYS: NOBODYS}
    for step in steps:
        numbers.setdefault(step.request, len(numbers))
    return tuple(replace(step, request=numbers[step.request]) for step in steps)
