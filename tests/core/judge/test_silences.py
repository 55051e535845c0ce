"""Connections that are closed without an answer to calls that have to be refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hand_made import exchange

from conformance.judge.decisions import silences
from conformance.model.exchange import ErrorKind, Exchange, Operation


def reading(number: int, *, repeats: str = "", credential: str = "a made-up token", closed: bool = True) -> Exchange:
    made = exchange(Operation.READ, 401, number=number, credential=credential, request="existing")
    made = replace(made, repeats=repeats, started=made.started + timedelta(seconds=number), seconds=0.5)
    if closed:
        made.response, made.error = None, ErrorKind.CLOSED
        made.settle()
    return made


def twice(number: int) -> list[Exchange]:
    return [reading(number), reading(number + 1, repeats=f"e{number}")]


def valid(number: int) -> Exchange:
    return reading(number, credential="user", closed=False)


def test_a_service_that_closes_each_time_and_answers_in_between_is_found() -> None:
    (violation, shown), *others = silences([valid(1), *twice(2), valid(4), *twice(5), valid(7)])

    assert violation.requirement == "5.3-read-with-bad-token"
    assert [each.id for each in shown] == ["e3", "e2", "e6", "e5"]
    assert others == []
