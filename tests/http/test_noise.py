"""Noise: answers that may not be the service's own, and answers that ask to retry later."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from hand_made import ONE, SETTINGS, Scripted, Waits, created, json_answer, session_with

from conformance.http.noise import GIVES_UP_AFTER, LONGEST_WAIT, TRIES
from conformance.http.session import Session
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import ErrorKind, Exchange, Intent, Superseded, TransportError
from conformance.model.target import Budget
from conformance.model.verdict import Blame

settings = json_answer(200, SETTINGS)
CALLS = {"GET": "/settings", "POST": "/requests", "DELETE": f"/requests/{ONE}"}
NOT_FOUND = {"error": "Not Found", "message": "Could not find a data request with this id."}


def answer(status: int, body: Any = None, after: str | None = None) -> Any:
    return json_answer(status, body, **({"retry_after": after} if after is not None else {}))


def page(status: int, text: str = "<h1>Blocked</h1>", **headers: str) -> Any:
    """Return an answer with a page, which is none of the service's own."""
    return lambda: httpx.Response(status, text=text, headers={"content-type": "text/html", **headers})


def call(session: Session, method: str) -> Exchange:
    return session.send(method, CALLS[method], credential="user")


def ready(*answers: Any, waits: Waits | None = None) -> tuple[Session, Scripted]:
    """Return a session whose GET /settings was answered, and its transport, which gives `answers` next."""
    transport = Scripted(settings, *answers)
    session = session_with(transport, clock=Waits() if waits is None else waits)
    session.send("GET", "/settings")
    return session, transport


def create(session: Session, **meant: Any) -> Exchange:
    return session.send("POST", "/requests", credential="user", intent=Intent(body="omitted", **meant))


def calls(session: Session) -> list[tuple[str, int, str]]:
    """Return the calls after the first, each with its status and why it decides nothing."""
    return [(each.request.method, each.status, each.superseded or "") for each in session.record.in_order()[1:]]


# ---------------------------------------------------------------------- answers that ask to retry later


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_obeyed(method: str, status: int) -> None:
    waits = Waits()
    transport = Scripted(answer(status, after="7"), answer(status, after="2"), created())
    session = session_with(transport, clock=waits)

    exchange = call(session, method)

    assert waits == [7.0, 2.0]
    assert transport.methods == [method] * 3
    assert answer_of(exchange).status == 200
    assert [each.counts for each in session.record.in_order()] == [False, False, True]


def test_retry_after_may_be_a_date() -> None:
    waits = Waits()
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)

    call(session_with(Scripted(answer(503, after=when), settings), clock=waits), "GET")

    assert len(waits) == 1
    assert 0 < waits[0] <= 30


def test_no_single_wait_is_longer_than_the_longest() -> None:
    waits = Waits()

    call(session_with(Scripted(answer(429, after="86400"), settings), clock=waits), "GET")

    assert waits == [LONGEST_WAIT]


def test_all_waits_together_stay_within_the_patience_of_the_run() -> None:
    waits = Waits()
    session = session_with(Scripted(answer(429, after="4")), clock=waits, budget=Budget(patience=10.0))

    exchanges = [call(session, "GET") for _ in range(4)]

    assert sum(waits) == 8.0
    for each in exchanges:
        with pytest.raises(NotDecided, match="429") as error:
            answer_of(each)
        assert "--rate" in error.value.remedy


def test_a_target_that_never_stops_putting_off_is_not_asked_for_ever() -> None:
    transport = Scripted(answer(429, after="0"))

    exchange = call(session_with(transport), "GET")

    assert len(transport.sent) == TRIES
    assert exchange.superseded is Superseded.RATE_LIMITED


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize(("status", "after"), [(502, None), (504, None), (520, None), (502, "1"), (504, "1")])
def test_a_creation_is_not_repeated_after_a_gateway_gave_up(method: str, status: int, after: str | None) -> None:
    transport = Scripted(answer(status, after=after), created())

    exchange = call(session_with(transport, clock=Waits()), method)

    assert transport.methods == ([method] if method == "POST" else [method] * 2)
    assert exchange.counts == (method != "POST")


@pytest.mark.parametrize(
    ("credential", "intent"),
    [("a made-up token", Intent(body="odd")), ("user", Intent(body="unknown type", types=["no-such-type"]))],
)
def test_a_creation_that_has_to_be_refused_is_repeated(credential: str, intent: Intent) -> None:
    transport = Scripted(answer(502), answer(401, {}))

    exchange = session_with(transport, clock=Waits()).send("POST", "/requests", credential=credential, intent=intent)

    assert transport.methods == ["POST"] * 2
    assert answer_of(exchange).status == 401


def test_the_clean_up_waits_although_the_patience_of_the_run_is_used_up() -> None:
    waits = Waits()
    transport = Scripted(*[answer(503, after="4")] * 2, settings, answer(503, after="9"), answer(200, "OK"))
    session = session_with(transport, clock=waits, budget=Budget(patience=10.0))
    call(session, "GET")

    deleted = session.send("DELETE", CALLS["DELETE"], credential="user", intent=Intent(request="clean-up"))

    assert waits == [4.0, 4.0, 9.0]
    assert answer_of(deleted).status == 200


@pytest.mark.parametrize("status", [429, 503])
def test_an_error_of_the_table_is_an_answer_whatever_its_status(status: int) -> None:
    waits = Waits()
    transport = Scripted(answer(status, {"error": "MaximumAmountOfRequestsReached"}, "5"))

    exchange = call(session_with(transport, clock=waits), "POST")

    assert (waits, len(transport.sent)) == ([], 1)
    assert answer_of(exchange).status == status


@pytest.mark.parametrize("status", [408, 425, 509, 520, 530, 598, 599])
@pytest.mark.parametrize("method", CALLS)
def test_what_stands_before_a_service_may_fail_for_a_while(method: str, status: int) -> None:
    session = session_with(Scripted(answer(status), created()), clock=Waits())

    call(session, method)

    assert session.record.in_order()[0].superseded is Superseded.UNAVAILABLE


@pytest.mark.parametrize("headers", [{"retry_after": "1"}, {"x_ratelimit_remaining": "0"}])
@pytest.mark.parametrize("method", CALLS)
def test_a_quota_may_be_forbidden(method: str, headers: dict[str, str]) -> None:
    transport = Scripted(json_answer(403, {"error": "Quota"}, **headers), created())
    session = session_with(transport, clock=Waits())

    assert answer_of(call(session, method)).status == 200
    assert session.record.in_order()[0].superseded is Superseded.RATE_LIMITED


# ---------------------------------------------------------------------- server errors


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize(("failures", "waited"), [(1, []), (2, [1.0]), (3, [1.0, 2.0]), (4, [1.0, 2.0])])
def test_a_server_error_has_to_come_again(method: str, failures: int, waited: list[float]) -> None:
    waits = Waits()
    transport = Scripted(*[answer(500)] * failures, answer(200))
    session = session_with(transport, clock=waits)

    exchange = call(session, method)

    *failed, last = exchanges = session.record.in_order()
    assert (waits, len(exchanges), last) == (waited, min(failures + 1, TRIES), exchange)
    assert [each.repeats for each in exchanges] == ["", *(each.id for each in failed)]
    lasts = failures == TRIES
    assert answer_of(exchange).status == (500 if lasts else 200)
    assert {each.superseded for each in failed} == {None if lasts else Superseded.PASSING}


def test_a_server_error_that_came_again_is_repeated_no_more() -> None:
    waits = Waits()
    session = session_with(Scripted(answer(500)), clock=waits)

    attempts = []
    for method in ("GET", "GET", "POST", "GET"):
        before = len(session.record)
        call(session, method)
        attempts.append(len(session.record) - before)

    assert (attempts, waits) == ([TRIES, 1, TRIES, 1], [1.0, 2.0] * 2)


def test_more_failures_than_one_in_twelve_calls_count() -> None:
    session = session_with(Scripted(*[answer(500), answer(200)] * 5, *[answer(200)] * 38), clock=Waits())

    for _ in range(5):
        call(session, "GET")
    early = sum(each.failed for each in session.record.exchanges)
    for _ in range(38):
        call(session, "GET")

    assert (early, sum(each.failed for each in session.record.exchanges)) == (2, 1)


@pytest.mark.parametrize("intent", [Intent(racing=True), Intent(generated=True, open=True)])
def test_a_server_error_of_a_race_or_an_open_call_is_not_repeated(intent: Intent) -> None:
    transport = Scripted(answer(500), answer(200))

    session_with(transport).send("POST", "/requests", credential="user", intent=intent)

    assert len(transport.sent) == 1


@pytest.mark.parametrize("status", [200, 400, 401, 404, 501])
@pytest.mark.parametrize("method", CALLS)
def test_other_answers_count(method: str, status: int) -> None:
    transport = Scripted(answer(status, {}, "5"))

    exchange = call(session_with(transport), method)

    assert len(transport.sent) == 1
    assert answer_of(exchange).status == status


# ---------------------------------------------------------------------- refusals that are no JSON


def test_a_page_that_does_not_come_again_decides_nothing() -> None:
    session, _ = ready(page(403), created())

    create(session)

    assert calls(session) == [("POST", 403, "passing"), ("POST", 200, "")]


def test_a_page_that_comes_again_and_not_to_get_settings_is_the_services_own() -> None:
    session, _ = ready(page(403), page(403), settings, page(403), page(403))

    first, second = create(session), create(session)

    assert calls(session) == [*[("POST", 403, "")] * 2, ("GET", 200, ""), *[("POST", 403, "")] * 2]
    assert first.counts
    assert not second.repeats


def test_a_refusal_that_get_settings_gets_as_well_is_waited_for() -> None:
    waits = Waits()
    session, _ = ready(*[page(403)] * 3, created(), waits=waits)

    create(session)

    away = "unavailable"
    assert calls(session) == [("POST", 403, away), ("POST", 403, away), ("GET", 403, away), ("POST", 200, "")]
    assert waits == [1.0]


def test_an_outage_that_lasts_ends_the_run() -> None:
    session, _ = ready(page(302, location="https://status.example/"))

    exchange = create(session)

    assert exchange.superseded is Superseded.UNAVAILABLE
    with pytest.raises(NotDecided, match="refuses every call alike") as ended:
        session.send("GET", "/settings")
    assert ended.value.blame is Blame.NETWORK
    assert "firewall" in ended.value.remedy


def test_a_redirect_within_the_service_is_its_own() -> None:
    session, _ = ready(page(303, location=f"/requests/{ONE}"))

    create(session)

    assert calls(session) == [("POST", 303, "")]


def test_a_page_in_a_race_is_not_repeated_and_decides_nothing() -> None:
    session, _ = ready(page(403), created())

    create(session, racing=True)

    assert calls(session) == [("POST", 403, Superseded.UNAVAILABLE)]


def test_a_page_does_not_come_again_in_an_error_with_the_same_status() -> None:
    error = {"error": "Not Found", "message": "Could not find a data request with this id."}
    session, _ = ready(page(404, "default backend - 404"), json_answer(404, error))

    call(session, "DELETE")

    assert calls(session) == [("DELETE", 404, Superseded.PASSING), ("DELETE", 404, "")]


@pytest.mark.parametrize("status", [429, 503])
def test_a_repetition_that_is_put_off_shows_no_unread_body(status: int) -> None:
    malformed = {"error": "Bad Request", "message": "Malformed JSON."}
    first = httpx.Response(400, json=malformed, extensions={"after_refused_body": True})
    transport = Scripted(first, answer(status), answer(400, malformed))
    session = session_with(transport, clock=Waits())

    call(session, "POST")

    assert [each.counts for each in session.record.in_order()] == [True, False, True]
    assert not transport.close_after_each


# ---------------------------------------------------------------------- no answer


def dropped(reused: bool = True) -> TransportError:
    return TransportError(ErrorKind.CLOSED, "closed without an answer", reused=reused)


@pytest.mark.parametrize("reused", [True, False])
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_reading_or_deletion_that_is_dropped_is_repeated_once(method: str, reused: bool) -> None:
    transport = Scripted(dropped(reused), settings)

    exchange = call(session_with(transport), method)

    assert answer_of(exchange).status == 200
    assert len(transport.sent) == 2
    assert transport.close_after_each is reused


def test_a_get_that_is_dropped_twice_is_left() -> None:
    transport = Scripted(dropped())

    exchange = call(session_with(transport), "GET")

    assert len(transport.sent) == 2
    assert exchange.error is ErrorKind.CLOSED


def test_a_creation_that_is_dropped_is_not_repeated() -> None:
    transport = Scripted(dropped(), created())

    exchange = call(session_with(transport), "POST")

    assert len(transport.sent) == 1
    assert exchange.error is ErrorKind.CLOSED
    assert transport.close_after_each


def test_an_operation_that_never_answers_is_called_no_more() -> None:
    late = TransportError(ErrorKind.DEADLINE, "no byte of an answer within 15 s")
    transport = Scripted(by=lambda request: late if "/data" in str(request.url) else settings())
    session = session_with(transport)

    exchanges = [session.send("GET", "/data") for _ in range(GIVES_UP_AFTER + 2)]
    other = session.send("GET", "/settings")
    with_a_token = session.send("GET", "/data", credential="user")

    assert transport.paths == ["/api/data"] * GIVES_UP_AFTER + ["/api/settings", "/api/data"]
    assert exchanges[-1].error is ErrorKind.SILENT
    assert answer_of(other).status == 200
    assert with_a_token.error is ErrorKind.DEADLINE


def test_an_answer_in_between_begins_the_count_anew() -> None:
    late = TransportError(ErrorKind.DEADLINE, "30 s are over")
    session = session_with(transport := Scripted(late, late, settings(), late, late, settings))

    exchanges = [call(session, "GET") for _ in range(6)]

    assert len(transport.sent) == 6
    assert exchanges[-1].error is None


@pytest.mark.parametrize("trouble", [ErrorKind.CONNECT, ErrorKind.DNS, ErrorKind.TLS])
def test_a_target_that_is_not_there_any_more_ends_the_run(trouble: ErrorKind) -> None:
    session = session_with(transport := Scripted(settings(), TransportError(trouble, "nothing listens")))
    for _ in range(1 + GIVES_UP_AFTER):
        call(session, "GET")

    with pytest.raises(NotDecided, match="did not reach the service"):
        call(session, "POST")

    assert len(transport.sent) == 1 + TRIES * GIVES_UP_AFTER
    assert (session.journal.pending, session.journal.spent, session.journal.left_behind) == (0, 0, 0)


@pytest.mark.parametrize("method", CALLS)
def test_a_call_waits_for_a_target_that_answered_before_and_is_not_there(method: str) -> None:
    gone = TransportError(ErrorKind.CONNECT, "nothing listens on this port")
    session = session_with(transport := Scripted(settings(), gone, gone, settings))

    before, after = call(session, "GET"), call(session, method)

    assert before.error is after.error is None
    assert len(transport.sent) == 4
    assert [each.error for each in session.record.exchanges] == [None, ErrorKind.CONNECT, ErrorKind.CONNECT, None]


def test_simultaneous_calls_do_not_wait_for_a_target_that_is_not_there() -> None:
    session = session_with(
        Scripted(settings(), TransportError(ErrorKind.CONNECT, "nothing listens on this port"), settings)
    )
    call(session, "GET")

    raced = session.send("DELETE", CALLS["DELETE"], credential="user", intent=Intent(racing=True))

    assert raced.error is ErrorKind.CONNECT
