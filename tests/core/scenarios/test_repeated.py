"""The answers to GET /settings and GET /data that a run asks for, and how it asks."""

from __future__ import annotations

import pytest
from hand_made import OTHER_TOKEN, SETTINGS, TYPES, Scripted, json_answer, session_with

from conformance.http.session import Session
from conformance.scenarios.api import Api
from conformance.scenarios.basic import ASKED_ALREADY, data_answers, settings_answers

EACH = pytest.mark.parametrize("repeated", [data_answers, settings_answers], ids=["data", "settings"])


def asked(repeated: object, *, public: bool = False) -> tuple[Session, Scripted]:
    answers = {"/api/settings": SETTINGS, "/api/data": TYPES}
    transport = Scripted(by=lambda request: json_answer(200, answers[request.url.path])())
    session = session_with(transport)
    service = Api(session)
    if public:
        session.credentials.clear()
    service.settings_document()
    transport.sent.clear()
    repeated.result(service)  # type: ignore[attr-defined]
    return session, transport


@EACH
def test_as_often_as_meets_a_fault_in_one_answer_of_twenty(repeated: object) -> None:
    session, transport = asked(repeated)
    _, in_public = asked(repeated, public=True)

    repeats = session.target.budget.repeats
    asked_besides = 2 * len(SETTINGS["supportedLanaguages"])
    assert len(transport.sent) == repeats - ASKED_ALREADY - asked_besides
    assert len(in_public.sent) == repeats - asked_besides


@EACH
def test_one_caller_does_not_ask_for_json_and_one_asks_as_a_browser(repeated: object) -> None:
    sent = asked(repeated)[1].sent

    accepted = [request.headers["accept"] for request in sent]

    assert accepted.count("*/*") == 1
    assert sum(each.startswith("text/html") for each in accepted) == 1
    assert sum("json" in each for each in accepted) == len(accepted) - 2
    assert [request.headers["accept-encoding"] for request in sent].count("gzip, deflate") == 1
    assert [each for request in sent if (each := request.headers.get("authorization"))] == [f"Bearer {OTHER_TOKEN}"]
