from __future__ import annotations

from typing import Any

import httpx
import pytest
from hand_made import OTHER_TOKEN, SETTINGS, TYPES, Scripted, error, json_answer, session_with

from conformance.client.api import Api
from conformance.http.session import Session
from conformance.model.error_table import UNAUTHORIZED
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Intent
from conformance.scenarios.basic import (
    ASKED_ALREADY,
    data_answers,
    data_lists,
    settings_answers,
    settings_documents,
)


def asked(name: str, *, public: bool = False, refusal: int = 200) -> tuple[Session, Scripted, list[Exchange]]:
    answers = {"/api/settings": SETTINGS, "/api/data": TYPES}
    transport = Scripted(
        by=lambda request: (
            json_answer(refusal, error(UNAUTHORIZED))()
            if refusal != 200 and "authorization" in request.headers
            else json_answer(200, answers[request.url.path])()
        )
    )
    session = session_with(transport)
    service = Api(session)
    if public:
        session.credentials.clear()
    service.settings_document()
    repeated = {"data_answers": data_answers, "settings_answers": settings_answers}[name]
    transport.sent.clear()
    return session, transport, repeated.result(service)


@pytest.mark.parametrize("name", ["data_answers", "settings_answers"])
def test_as_often_as_meets_a_fault_in_one_answer_of_twenty(name: str) -> None:
    session, _, answers = asked(name)
    _, _, in_public = asked(name, public=True)

    repeats = session.target.budget.repeats
    asked_besides = 2 * len(SETTINGS["supportedLanaguages"])
    assert len(answers) == repeats - ASKED_ALREADY - asked_besides
    assert len(in_public) == repeats - asked_besides


@pytest.mark.parametrize("name", ["data_answers", "settings_answers"])
def test_one_caller_does_not_ask_for_json_and_one_asks_as_a_browser(name: str) -> None:
    _, transport, _ = asked(name)

    accepted = [request.headers["accept"] for request in transport.sent]

    assert accepted.count("*/*") == 1
    assert sum(each.startswith("text/html") for each in accepted) == 1
    assert sum("json" in each for each in accepted) == len(accepted) - 2
    assert [request.headers["accept-encoding"] for request in transport.sent].count("gzip, deflate") == 1


def test_settings_are_asked_for_by_the_second_user_too() -> None:
    _, transport, answers = asked("settings_answers")

    said = [request.headers.get("authorization") for request in transport.sent]

    assert [each for each in said if each] == [f"Bearer {OTHER_TOKEN}"]
    assert [each.intent.offered for each in answers].count(True) == 1


@pytest.mark.parametrize(("status", "judged"), [(401, False), (403, False), (500, True)])
def test_a_refusal_of_a_token_that_was_not_needed_is_left_out(status: int, *, judged: bool) -> None:
    _, _, answers = asked("settings_answers", refusal=status)

    assert any(each.intent.offered for each in answers) is judged


NO_JSON = httpx.Response(200, text="<p>Down for maintenance</p>")
FAILURE = json_answer(500, {"error": "Failure"})()


def answers_to(path: str, *responses: httpx.Response) -> list[Exchange]:
    session = session_with(Scripted(*responses))
    return [session.send("GET", path, credential="no token", intent=Intent()) for _ in responses]


def test_data_lists_are_the_answers_that_are_a_list_of_objects() -> None:
    lists: list[Any] = [[{"type": "profile"}], [], [{"type": "profile"}, None], [1, 2], {"types": []}]
    answers = answers_to("/data", *(json_answer(200, each)() for each in lists), NO_JSON, FAILURE)

    assert data_lists(answers) == [(answers[0], lists[0]), (answers[1], [])]


def test_a_list_with_another_status_is_one_too() -> None:
    listed = [{"type": "profile"}]
    answers = answers_to("/data", json_answer(203, listed)(), json_answer(404, listed)())

    assert data_lists(answers) == [(answers[0], listed)]


def test_settings_documents_are_the_answers_that_are_an_object() -> None:
    objects: list[Any] = [{}, {"legalEntity": 1}, [{}], None, "text"]
    answers = answers_to("/settings", *(json_answer(200, each)() for each in objects), NO_JSON, FAILURE)

    assert settings_documents(answers) == [(answers[0], {}), (answers[1], {"legalEntity": 1})]


@pytest.mark.parametrize(
    "response",
    [NO_JSON, FAILURE, json_answer(200, {})(), json_answer(200, [None])()],
    ids=["no JSON", "another status", "an object", "a list of null"],
)
def test_without_a_data_list_nothing_is_decided(response: httpx.Response) -> None:
    with pytest.raises(NotDecided):
        data_lists(answers_to("/data", response))


@pytest.mark.parametrize(
    "response", [NO_JSON, FAILURE, json_answer(200, [])()], ids=["no JSON", "another status", "a list"]
)
def test_without_settings_nothing_is_decided(response: httpx.Response) -> None:
    with pytest.raises(NotDecided):
        settings_documents(answers_to("/settings", response))
