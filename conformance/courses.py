"""Courses of calls that need nothing of one another: those that a run needs are gone through side by side, once.

A course holds one request at most, and deletes it: as many go on at a time as requests were seen to be held at a time.
One that holds none goes on beside whatever else is asked.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Generic, TypeVar

from conformance.client.user import DELETIONS, LOOKS, UserClient
from conformance.model.errors import NotDecided
from conformance.trials.late import keep_beside_others
from conformance.trials.limit import places

_T = TypeVar("_T", covariant=True)


class Turn(Enum):
    """When a course is gone through."""

    HOLDING = "beside others that hold a request"
    AHEAD = "from the start, beside all else: it changes nothing"
    AFTER = "after those that hold a request, beside what then comes: of what it asks to be created all is refused"


@dataclass(frozen=True, slots=True)
class Course(Generic[_T]):
    """What asks for something that is remembered, also that it could not be had; in `most` exchanges as a rule."""

    prepare: Callable[[UserClient], Callable[[], _T]]
    """Draws what is needed of chance, and returns what asks."""
    most: Callable[[UserClient], int]
    turn: Turn


def course(
    most: int | Callable[[UserClient], int], *, turn: Turn = Turn.HOLDING
) -> Callable[[Callable[[UserClient], Callable[[], _T]]], Course[_T]]:
    """Make a course of a function that prepares it."""
    number = most if callable(most) else lambda _: most
    return lambda prepare: Course(prepare, number, turn)


Raised = dict[Course[object], Exception]
"""What courses raised that is no NotDecided, which is remembered where they keep what they came to."""


def begin(service: UserClient, courses: Mapping[Course[object], str], raised: Raised) -> None:
    """Begin the courses that can go on beside all else, each in the name of its check; see `Session.awaited`."""
    for each, check in courses.items():
        service.session.ahead(each, [_prepared(service, each, check, raised)], each=each.most(service))
        if each.turn is Turn.AFTER and places(service) == 1:  # who puts calls off must not meet two creations at a time
            service.session.awaited(each)


def go(service: UserClient, courses: Mapping[Course[object], str], raised: Raised) -> None:
    """Go through all courses, each in the name of its check; one that raises something does not end the others."""
    session = service.session
    with contextlib.suppress(NotDecided):
        service.types()  # which several ask for

    keep_beside_others(service, places(service))
    room = places(service)

    def cleaned_up(course: Callable[[], None]) -> Callable[[], None]:
        def gone_through() -> None:
            course()
            if room == 1:  # what could not be named, and so was not deleted, must not stand in the way of the next
                session.clean_up()

        return gone_through

    # Those that ask nothing compute while others wait for answers. Beside the longest go the short ones, which ask one
    # thing after another; those that ask a lot at a time come last, when they have all places for themselves.
    by_length = sorted(courses, key=lambda each: each.most(service))
    asking = [each for each in by_length if each.most(service)]
    in_turn = [each for each in by_length if not each.most(service)] + asking[-1:] + asking[:-1]
    session.side_by_side(
        [cleaned_up(_prepared(service, each, courses[each], raised)) for each in in_turn],
        each=[each.most(service) for each in in_turn],
        at_most=room,
    )


def _prepared(service: UserClient, each: Course[object], check: str, raised: Raised) -> Callable[[], None]:
    session = service.session
    ask: Callable[[], object] = tuple

    @contextlib.contextmanager
    def kept() -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if not isinstance(error, NotDecided):
                raised[each] = error

    with session.aside(check), kept():
        ask = each.prepare(service)

    def gone_through() -> None:
        with session.record.in_the_name_of(check), kept():
            ask()

    return gone_through


for_one: Final = course(3)(lambda service: service.creation_and_reading)
for_all: Final = course(3)(lambda service: service.creation_for_all)
for_two: Final = course(3)(lambda service: service.creation_for_two)
data_me: Final = course(2, turn=Turn.AHEAD)(lambda service: service.data_me_answers)
deletion: Final = course(2 + LOOKS + DELETIONS)(lambda service: service.deletion)
