from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from hand_made import (
    ONE,
    SETTINGS,
    Scripted,
    Waits,
    created,
    json_answer,
    session_with,
)

from conformance.http.retries import LONGEST_WAIT, TRIES
from conformance.http.session import Session
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import ErrorKind, Exchange, Intent
from conformance.model.target import Budget
from conformance.model.verdict import Blame
from conformance.rules.server_errors import now_and_then

settings = json_answer(200, SETTINGS)
CALLS = {"GET": "/settings", "POST": "/requests", "DELETE": f"/requests/{ONE}"}


def retry_later(status: int, after: str | None = None, body: Any = None) -> Any:
    return json_answer(status, body, **({"retry_after": after} if after is not None else {}))


def call(session: Session, method: str) -> Exchange:
    return session.send(method, CALLS[method], credential="user")


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_obeyed(method: str, status: int) -> None:
    waits = Waits()
    transport = Scripted(retry_later(status, "7"), retry_later(status, "2"), created())
    session = session_with(transport, clock=waits)

    exchange = call(session, method)

    assert waits == [7.0, 2.0]
    assert transport.methods == [method] * 3
    assert answer_of(exchange).status == 200
    assert [each.error is None for each in session.record.in_order()] == [False, False, True]


def test_retry_after_may_be_a_date() -> None:
    waits = Waits()
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)

    call(session_with(Scripted(retry_later(503, when), settings), clock=waits), "GET")

    assert len(waits) == 1
    assert 0 < waits[0] <= 30


def test_no_single_wait_is_longer_than_the_longest() -> None:
    waits = Waits()

    call(session_with(Scripted(retry_later(429, "86400"), settings), clock=waits), "GET")

    assert waits == [LONGEST_WAIT]


def test_all_waits_together_stay_within_the_patience_of_the_run() -> None:
    waits = Waits()
    session = session_with(Scripted(retry_later(429, "4")), clock=waits, budget=Budget(patience=10.0))

    exchanges = [call(session, "GET") for _ in range(4)]

    assert sum(waits) == 8.0
    for each in exchanges:
        with pytest.raises(NotDecided, match=r"429.*waiting for retries is used up") as error:
            answer_of(each)
        assert "--rate" in error.value.remedy


def test_a_target_that_never_stops_putting_off_is_not_asked_for_ever() -> None:
    transport = Scripted(retry_later(429, "0"))

    exchange = call(session_with(transport), "GET")

    assert len(transport.sent) == TRIES
    assert exchange.error is ErrorKind.RATE_LIMITED


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize(("status", "after"), [(502, None), (504, None), (520, None), (502, "1"), (504, "1")])
def test_after_a_gateway_gave_up_no_creation_is_put_again(method: str, status: int, after: str | None) -> None:
    transport = Scripted(retry_later(status, after), created())

    exchange = call(session_with(transport, clock=Waits()), method)

    assert transport.methods == ([method] if method == "POST" else [method] * 2)
    assert (exchange.error is None) == (method != "POST")


@pytest.mark.parametrize(
    ("credential", "intent"),
    [("a made-up token", Intent(body="odd")), ("user", Intent(body="unknown type", types=["no-such-type"]))],
)
def test_a_creation_that_has_to_be_refused_is_put_again(credential: str, intent: Intent) -> None:
    transport = Scripted(retry_later(502), retry_later(401))

    exchange = session_with(transport, clock=Waits()).send("POST", "/requests", credential=credential, intent=intent)

    assert transport.methods == ["POST"] * 2
    assert answer_of(exchange).status == 401


def test_the_clean_up_waits_although_the_patience_of_the_run_is_used_up() -> None:
    waits = Waits()
    transport = Scripted(*[retry_later(503, "4")] * 2, settings, retry_later(503, "9"), json_answer(200, "OK"))
    session = session_with(transport, clock=waits, budget=Budget(patience=10.0))
    call(session, "GET")

    deleted = session.send("DELETE", CALLS["DELETE"], credential="user", intent=Intent(request="clean-up"))

    assert waits == [4.0, 4.0, 9.0]
    assert answer_of(deleted).status == 200


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize("status", [503, 408, 425, 509])
def test_what_was_not_done_is_put_again(method: str, status: int) -> None:
    transport = Scripted(retry_later(status), created())

    exchange = call(session_with(transport, clock=Waits()), method)

    assert transport.methods == [method] * 2
    assert answer_of(exchange).status == 200


@pytest.mark.parametrize("status", [429, 503])
def test_an_error_of_the_table_is_an_answer_whatever_its_status(status: int) -> None:
    waits = Waits()
    transport = Scripted(retry_later(status, "5", {"error": "MaximumAmountOfRequestsReached"}))

    exchange = call(session_with(transport, clock=waits), "POST")

    assert (waits, len(transport.sent)) == ([], 1)
    assert answer_of(exchange).status == status


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize(("failures", "waited"), [(1, []), (2, [1.0]), (3, [1.0, 2.0]), (4, [1.0, 2.0])])
def test_a_server_error_has_to_show_again(method: str, failures: int, waited: list[float]) -> None:
    waits = Waits()
    transport = Scripted(*[retry_later(500)] * failures, retry_later(200))
    session = session_with(transport, clock=waits)

    exchange = call(session, method)

    *failed, last = exchanges = session.record.in_order()
    assert (waits, len(exchanges), last) == (waited, min(failures + 1, TRIES), exchange)
    assert [each.repeats for each in exchanges] == ["", *(each.id for each in failed)]
    lasts = failures == TRIES
    assert answer_of(exchange).status == (500 if lasts else 200)
    assert now_and_then(exchanges) == (set() if lasts else {each.id for each in failed})


def test_the_end_of_a_server_error_that_lasts_is_awaited_once() -> None:
    waits = Waits()
    session = session_with(Scripted(retry_later(500)), clock=waits)

    attempts = []
    for method in ("GET", "GET", "POST", "GET"):
        before = len(session.record)
        call(session, method)
        attempts.append(len(session.record) - before)

    assert (attempts, waits) == ([TRIES, 2, TRIES, 2], [1.0, 2.0] * 2)


@pytest.mark.parametrize("status", [404, 410])
def test_a_deletion_after_a_server_error_may_find_nothing(status: int) -> None:
    session = session_with(Scripted(retry_later(500), retry_later(status)))

    session.send("DELETE", CALLS["DELETE"], credential="user", intent=Intent(request="existing"))

    first, second = session.record.in_order()
    assert not now_and_then([first, second])
    with pytest.raises(
        NotDecided, match=rf"status {status}, when it was repeated after a server error \(500\)"
    ) as said:
        answer_of(second)
    assert said.value.blame is Blame.TARGET
    assert "log of the service" in said.value.remedy


def test_a_deletion_that_failed_in_effect_is_one_now_and_then_beside_correct_ones() -> None:
    intent, ok = Intent(request="existing"), json_answer(200, "OK")
    session = session_with(Scripted(ok, retry_later(500), retry_later(404), ok))

    for _ in range(3):
        session.send("DELETE", CALLS["DELETE"], credential="user", intent=intent)

    _, failed, _, _ = exchanges = session.record.in_order()
    assert now_and_then(exchanges) == {failed.id}
    assert now_and_then(exchanges[:-1]) == set()  # no later deletion was answered correctly


@pytest.mark.parametrize("intent", [Intent(racing=True), Intent(generated=True, open=True)])
def test_a_server_error_of_a_race_or_an_open_call_is_not_repeated(intent: Intent) -> None:
    transport = Scripted(retry_later(500), retry_later(200))

    session_with(transport).send("POST", "/requests", credential="user", intent=intent)

    assert len(transport.sent) == 1


@pytest.mark.parametrize("status", [400, 401, 404, 501])
@pytest.mark.parametrize("method", CALLS)
def test_other_statuses_are_answers(method: str, status: int) -> None:
    transport = Scripted(retry_later(status, "5"))

    exchange = call(session_with(transport), method)

    assert len(transport.sent) == 1
    assert answer_of(exchange).status == status


@pytest.mark.parametrize("status", [408, 425, 509, 520, 530, 598, 599])
@pytest.mark.parametrize("method", CALLS)
def test_what_stands_in_between_may_fail_for_a_while(method: str, status: int) -> None:
    session = session_with(Scripted(retry_later(status), created()), clock=Waits())

    call(session, method)

    assert session.record.in_order()[0].error is ErrorKind.UNAVAILABLE


@pytest.mark.parametrize("headers", [{"retry_after": "1"}, {"x_ratelimit_remaining": "0"}])
@pytest.mark.parametrize("method", CALLS)
def test_a_quota_may_be_forbidden(method: str, headers: dict[str, str]) -> None:
    transport = Scripted(json_answer(403, {"error": "Quota"}, **headers), created())
    session = session_with(transport, clock=Waits())

    assert answer_of(call(session, method)).status == 200
    assert session.record.in_order()[0].error is ErrorKind.RATE_LIMITED


def test_a_deletion_put_again_may_have_been_done_before() -> None:
    transport = Scripted(retry_later(503, "0"), json_answer(404, {"error": "Not Found", "message": ""}))
    session = session_with(transport, clock=Waits())

    exchange = session.send("DELETE", CALLS["DELETE"], credential="user", intent=Intent(request="existing"))

    assert transport.methods == ["DELETE"] * 2
    with pytest.raises(NotDecided, match="404"):
        answer_of(exchange)


@pytest.mark.parametrize("status", [429, 503])
def test_a_repetition_that_is_put_off_shows_no_unread_body(status: int) -> None:
    malformed = {"error": "Bad Request", "message": "Malformed JSON."}
    first = httpx.Response(400, json=malformed, extensions={"after_refused_body": True})
    transport = Scripted(first, retry_later(status), json_answer(400, malformed))
    session = session_with(transport, clock=Waits())

    call(session, "POST")

    assert [each.error for each in session.record.in_order()][::2] == [None, None]
    assert not transport.close_after_each
