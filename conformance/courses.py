"""Courses of calls that need nothing of one another: those that a run needs are gone through side by side, once.

A course holds one request at most, and deletes it: as many go on at a time as requests were seen to be held at a time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from conformance.expect import Undecided
from conformance.limit import places
from conformance.service import DELETIONS, LOOKS, Service

_T = TypeVar("_T", covariant=True)


@dataclass(frozen=True, slots=True)
class Course(Generic[_T]):
    """What asks for something that is remembered, also that it could not be had; in `most` exchanges as a rule."""

    prepare: Callable[[Service], Callable[[], _T]]
    """Draws what is needed of chance, and returns what asks."""
    most: Callable[[Service], int]


def course(most: int | Callable[[Service], int]) -> Callable[[Callable[[Service], Callable[[], _T]]], Course[_T]]:
    """Make a course of a function that prepares it."""
    number = most if callable(most) else lambda _: most
    return lambda prepare: Course(prepare, number)


def go(service: Service, courses: Mapping[Course[object], str]) -> None:
    """Go through all courses, each in the name of its check; what is to be said of it, who asks again is told."""
    session = service.session
    with contextlib.suppress(Undecided):
        service.types()  # which several ask for

    def prepared(each: Course[object], check: str) -> Callable[[], None]:
        with session.aside(check):
            ask = each.prepare(service)

        def gone_through() -> None:
            with session.record.in_the_name_of(check), contextlib.suppress(Undecided):
                ask()
            if room == 1:  # what could not be named, and so was not deleted, must not stand in the way of the next
                session.clean_up()

        return gone_through

    room = places(service)
    # Those that ask nothing compute while others wait for answers.
    longest_first = sorted(courses, key=lambda each: (each.most(service) > 0, -each.most(service)))
    session.side_by_side(
        [prepared(each, courses[each]) for each in longest_first],
        each=[each.most(service) for each in longest_first],
        at_most=room,
    )


for_one: Final = course(3)(lambda service: service.creation_and_reading)
for_all: Final = course(3)(lambda service: service.creation_for_all)
for_two: Final = course(3)(lambda service: service.creation_for_two)
data_me: Final = course(2)(lambda service: service.data_me_answers)
deletion: Final = course(2 + LOOKS + DELETIONS)(lambda service: service.deletion)
