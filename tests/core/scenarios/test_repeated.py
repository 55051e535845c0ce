"""The answers to GET /settings and GET /data that a run asks for, and how it asks."""

from __future__ import annotations

import pytest
from hand_made import SETTINGS, TYPES, Scripted, json_answer, session_with

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
