"""Courses: what goes on beside all else, what waits for its turn, and in whose name it is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import httpx
import pytest
from hand_made import ONE, SETTINGS, Scripted, created, json_answer, session_with

from conformance import courses
from conformance.client.user import UserClient
from conformance.courses import Turn, course
from conformance.model.errors import NotDecided
from conformance.model.target import Budget
from conformance.traffic import lanes

settings = json_answer(200, SETTINGS)


def test_a_course_that_goes_on_beside_all_else_asks_one_thing_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    widths: list[int] = []

    def noted(calls: Sequence[Callable[[], object]], *, width: int) -> list[object]:
        widths.append(width)
        return [call() for call in calls]

    @course(3, turn=Turn.AHEAD)
    def three(service: UserClient) -> Callable[[], object]:
        return lambda: service.session.side_by_side([service.data] * 3)

    monkeypatch.setattr(lanes, "side_by_side", noted)
    session = session_with(Scripted(settings), budget=Budget(concurrency=4))
    session.begin("meanwhile")
    courses.begin(UserClient(session), {three: "ahead"}, {})
    session.side_by_side([UserClient(session).settings])
    session.awaited(three)

    assert sorted(widths) == [1, 4]
    asked = [(each.check, each.facts["path"]) for each in session.record.in_order()]
    assert asked == [("ahead", "/data")] * 3 + [("meanwhile", "/settings")]


def test_what_a_course_could_not_have_stops_nobody() -> None:
    @course(0, turn=Turn.AFTER)
    def nothing(service: UserClient) -> Callable[[], object]:  # noqa: ARG001
        def ask() -> None:
            raise NotDecided("The target gives nothing.")

        return ask

    session = session_with(Scripted(settings))

    courses.begin(UserClient(session), {nothing: "a check"}, {})

    assert session.awaited(nothing) == [None]


def test_where_only_one_request_can_be_held_courses_clean_up_before_the_next_begins() -> None:
    transport = Scripted(
        json_answer(200, [{"type": "profile"}]), created(ONE), httpx.Response(200, text="OK"), json_answer(404, None)
    )

    @course(2)
    def creation(service: UserClient) -> Callable[[], object]:
        return lambda: service.post(["profile"])

    @course(1)
    def reading(service: UserClient) -> Callable[[], object]:
        return lambda: service.read(ONE)

    session = session_with(transport)
    courses.go(UserClient(session), {creation: "first", reading: "second"}, {})

    assert transport.methods == ["GET", "POST", "DELETE", "GET"]
    assert [each.check for each in session.record.in_order()][1::2] == ["first", "second"]
