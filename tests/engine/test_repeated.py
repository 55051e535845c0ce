from __future__ import annotations

from typing import Any

import pytest
from hand_made import OTHER_TOKEN, SETTINGS, TYPES, Scripted, error, exchange, json_answer, session_with

from conformance.client.public import PublicClient
from conformance.model.error_table import UNAUTHORIZED
from conformance.model.exchange import Exchange, Operation
from conformance.traffic.session import Session
from conformance.trials.repeated import ASKED_ALREADY, REPEATED, refused_for_its_token, times


def asked(name: str, *, public: bool = False) -> tuple[Session, Scripted, list[Exchange]]:
    answers = {"/api/settings": SETTINGS, "/api/data": TYPES}
    transport = Scripted(by=lambda request: json_answer(200, answers[request.url.path])())
    session = session_with(transport)
    visitor = PublicClient(session)
    return session, transport, [call() for call in REPEATED[name](visitor, times(visitor, public=public))]


@pytest.mark.parametrize("name", ["data_answers", "settings_answers"])
def test_as_often_as_meets_a_fault_in_one_answer_of_twenty(name: str) -> None:
    session, _, answers = asked(name)
    _, _, in_public = asked(name, public=True)

    repeats = session.target.budget.repeats
    asked_besides = len(SETTINGS["supportedLanaguages"])
    assert len(answers) == repeats - ASKED_ALREADY - asked_besides
    assert len(in_public) == repeats - asked_besides


@pytest.mark.parametrize("name", ["data_answers", "settings_answers"])
def test_one_caller_does_not_ask_for_json(name: str) -> None:
    _, transport, _ = asked(name)

    accepted = [request.headers["accept"] for request in transport.sent]

    assert accepted.count("*/*") == 1
    assert all("json" in each for each in accepted if each != "*/*")


def test_settings_are_asked_for_by_the_second_user_too() -> None:
    _, transport, answers = asked("settings_answers")

    said = [request.headers.get("authorization") for request in transport.sent]

    assert [each for each in said if each] == [f"Bearer {OTHER_TOKEN}"]
    assert [each.facts.get("offered") for each in answers].count(True) == 1


@pytest.mark.parametrize(
    ("status", "facts", "refused"),
    [(401, {"offered": True}, True), (403, {"offered": True}, True), (401, {}, False), (500, {"offered": True}, False)],
)
def test_only_a_token_that_was_not_needed_excuses_a_refusal(status: int, facts: dict[str, Any], refused: bool) -> None:
    answer = exchange(Operation.SETTINGS, status, error(UNAUTHORIZED), **facts)

    assert refused_for_its_token(answer) is refused
