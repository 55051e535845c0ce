"""Creations whose body is refused for the form of its transfer."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from hand_made import ONE, Scripted, created, json_answer, session_with

from conformance.facts.answers import accepted
from conformance.model.identity import CHUNKED, USER
from conformance.scenarios.api import Api


def test_neither_refusal_of_a_chunked_body_decides_anything() -> None:
    refusals = [json_answer(400, {"error": "Bad Request", "message": "Chunks are not read."})() for _ in range(2)]
    # The connection carried a refused body before, so the transport sends the call again on another one.
    refusals[0].extensions["after_refused_body"] = True
    with closing(session_with(Scripted(*refusals, created(ONE)))) as session:
        made = Api(session).post(["name"], replace(USER, variation=CHUNKED))
        exchanges = session.record.in_order()

    assert accepted(made.response)
    assert [bool(each.repeats) for each in exchanges] == [False, True, False]
    assert [each.intent.open for each in exchanges] == [True, True, False]
