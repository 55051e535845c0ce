from __future__ import annotations

import threading
from typing import Any

import httpx
import pytest
from hand_made import (
    BASE,
    ONE,
    OTHER_TOKEN,
    SETTINGS,
    THREE,
    TOKEN,
    TWO,
    Scripted,
    created,
    data_request,
    json_answer,
    session_with,
)

from conformance import __version__
from conformance.exchange import Exchange, Operation
from conformance.expect import Undecided
from conformance.service import Service
from conformance.session import Session, segment
from conformance.target import Budget
from conformance.verdict import Blame
from conformance.wire.trouble import NoAnswer, Trouble

settings = json_answer(200, SETTINGS)


def test_every_question_says_who_asks_and_what_for() -> None:
    transport = Scripted(settings)

    session_with(transport).send("GET", "/settings")

    said = transport.sent[0].headers
    assert said["user-agent"] == f"drsi-conformance/{__version__}"
    assert said["accept"].startswith("application/json")
    assert (said["accept-encoding"], said["connection"]) == ("identity", "keep-alive")


# ---------------------------------------------------------------------- identifiers


@pytest.mark.parametrize(
    ("request_id", "path"),
    [
        (ONE, f"/api/requests/{ONE}"),
        ("../../admin", "/api/requests/..%2F..%2Fadmin"),
        ("a/b", "/api/requests/a%2Fb"),
        ("x?y=1", "/api/requests/x%3Fy%3D1"),
        ("x#f", "/api/requests/x%23f"),
        ("a b", "/api/requests/a%20b"),
        ("%2e%2e", "/api/requests/%252e%252e"),
        ("http://elsewhere.test/", "/api/requests/http%3A%2F%2Felsewhere.test%2F"),
        ("é\u202e", "/api/requests/%C3%A9%E2%80%AE"),
        ("...", "/api/requests/..."),
    ],
)
def test_an_identifier_is_one_segment_of_the_path(request_id: str, path: str) -> None:
    transport = Scripted(json_answer(404, None))

    exchange = Service(session_with(transport)).read(request_id)

    assert transport.paths == [path]
    assert exchange.operation is Operation.READ


@pytest.mark.parametrize("request_id", ["", ".", "..", "x" * 100_000, "a\r\nHost: b", "a\x00b", "a\x7f", "\ud800"])
def test_an_identifier_that_is_none_is_never_sent(request_id: str) -> None:
    transport = Scripted(settings)
    service = Service(session_with(transport))

    for call in (service.read, service.delete):
        with pytest.raises(Undecided) as caught:
            call(request_id)
        assert caught.value.blame is Blame.TARGET
    with pytest.raises(Undecided):
        segment(request_id)
    assert transport.sent == []


# ---------------------------------------------------------------------- redirects


def moved(to: str, status: int = 302) -> Any:
    return lambda: httpx.Response(status, headers={"Location": to})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("to", [f"{BASE}/v2/settings", "/api/v2/settings", "v2/settings"])
def test_one_redirect_of_a_get_within_the_origin_is_followed_and_noted(status: int, to: str) -> None:
    transport = Scripted(moved(to, status), settings)
    session = session_with(transport)

    exchange = session.send("GET", "/settings")

    first, second = session.record.in_order()
    assert transport.paths == ["/api/settings", "/api/v2/settings"]
    assert exchange is second
    assert second.operation is Operation.SETTINGS
    assert (first.facts["redirected_to"], second.facts["redirected_from"]) == (second.id, first.id)


def test_a_second_redirect_is_the_answer() -> None:
    transport = Scripted(moved("/api/a"), moved("/api/b"), settings)

    exchange = session_with(transport).send("GET", "/settings")

    assert len(transport.sent) == 2
    assert exchange.answer is not None
    assert exchange.answer.status == 302


@pytest.mark.parametrize(
    "to",
    [
        "http://elsewhere.test/settings",
        "//elsewhere.test/settings",
        "https://service.test/api/settings",
        "http://service.test:81/api/settings",
        "file:///etc/passwd",
        "http://[bad",
        "",
        f"{BASE}/settings",
    ],
)
def test_no_redirect_leads_out_of_the_origin_or_in_a_circle(to: str) -> None:
    transport = Scripted(moved(to), settings)

    exchange = session_with(transport).send("GET", "/settings", credential="user")

    assert len(transport.sent) == 1
    assert exchange.answer is not None
    assert exchange.answer.status == 302


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(("method", "path"), [("POST", "/requests"), ("DELETE", f"/requests/{ONE}")])
def test_redirects_of_other_methods_are_not_followed(method: str, path: str, status: int) -> None:
    transport = Scripted(moved(f"{BASE}/elsewhere", status), settings)

    session_with(transport).send(method, path, credential="user")

    assert len(transport.sent) == 1


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("to", ["/a\x00b", "http://[::1", "http://service.test:99999999/", "http://a b/", "//"])
def test_an_address_that_is_none_is_an_answer_like_any_other(method: str, to: str) -> None:
    path = "/requests" if method == "POST" else f"/requests/{ONE}"

    exchange = session_with(Scripted(moved(to, 307))).send(method, path, credential="user")

    assert exchange.answer is not None
    assert (exchange.answer.status, exchange.answer.header("location")) == (307, to)


# ---------------------------------------------------------------------- at the same time


def test_calls_made_together_have_ids_in_the_order_of_the_caller() -> None:
    bodies = [b"0", b"1", b"2", b"3"]
    later = {body: threading.Event() for body in bodies}
    later[b"3"].set()

    def answer(request: httpx.Request) -> httpx.Response:
        # Each is answered only after its successor was.
        body = request.content
        assert later[body].wait(10)
        if body != b"0":
            later[bodies[bodies.index(body) - 1]].set()
        return created()()

    session = session_with(Scripted(by=answer))

    def call(body: bytes) -> Any:
        return lambda: session.send("POST", "/requests", credential="user", content=body)

    exchanges = session.together([call(body) for body in bodies])

    assert [exchange.question.body for exchange in exchanges] == bodies
    assert [exchange.id for exchange in exchanges] == ["e1", "e2", "e3", "e4"]
    assert session.record.in_order() == exchanges
    assert session.send("POST", "/requests", credential="user", content=b"3").id == "e5"


def test_calls_made_together_are_all_in_the_journal_before_the_first_is_sent() -> None:
    pending = []

    def answer(_: httpx.Request) -> httpx.Response:
        pending.append(session.journal.created + session.journal.pending)
        return created(f"8b1d8f0e-3c50-4f0c-9d34-{len(pending):012x}")()

    session = session_with(Scripted(by=answer))

    session.together([lambda: session.send("POST", "/requests", credential="user")] * 6)

    assert pending == [6] * 6


def test_one_that_is_not_sent_holds_up_no_other() -> None:
    session = session_with(Scripted(settings))

    def stays() -> None:
        return None

    exchanges = session.together([stays, lambda: session.send("GET", "/settings")])

    assert exchanges[1] is not None


def test_an_error_in_one_of_them_is_handed_on() -> None:
    session = session_with(Scripted(settings))

    def fails() -> Exchange:
        raise Undecided("no")

    with pytest.raises(Undecided, match="no"):
        session.together([fails, lambda: session.send("GET", "/settings")])


class TwoAtOnce:
    """Answers nothing before two calls are under way, and counts how many are at most."""

    def __init__(self) -> None:
        self.lock, self.reached = threading.Lock(), threading.Event()
        self.under_way = self.most = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        with self.lock:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            if self.under_way == 2:
                self.reached.set()
        assert self.reached.wait(10), request.url
        with self.lock:
            self.under_way -= 1
        return settings()


def test_no_more_calls_than_allowed_are_under_way_side_by_side() -> None:
    target = TwoAtOnce()
    session = session_with(Scripted(by=target), budget=Budget(concurrency=2))

    exchanges = session.side_by_side([lambda: session.send("GET", "/settings")] * 7)

    assert target.most == 2
    assert [exchange.id for exchange in exchanges] == [f"e{number}" for number in range(1, 8)]


def test_calls_side_by_side_that_make_several_exchanges_keep_the_order_of_the_caller() -> None:
    session = session_with(Scripted(settings), budget=Budget(concurrency=3))

    def twice() -> list[Exchange]:
        return [session.send("GET", "/settings"), session.send("GET", "/settings")]

    pairs = session.side_by_side([twice] * 3, each=2)

    assert [[exchange.id for exchange in pair] for pair in pairs] == [["e1", "e2"], ["e3", "e4"], ["e5", "e6"]]


def test_what_is_asked_ahead_leaves_a_place_to_what_goes_on_meanwhile() -> None:
    answered = threading.Event()

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/data"):
            assert answered.wait(10)
        return settings()

    session = session_with(Scripted(by=answer), budget=Budget(concurrency=2))
    session.begin("ahead")
    session.ahead("data", [lambda: session.send("GET", "/data")] * 3)
    session.begin("meanwhile")
    session.send("GET", "/settings")
    answered.set()

    assert [(each.id, each.check) for each in session.awaited("data")] == [(f"e{n}", "ahead") for n in (1, 2, 3)]
    assert [(each.id, each.check) for each in session.record.in_order()][3:] == [("e4", "meanwhile")]


def test_calls_side_by_side_within_others_are_no_more_at_a_time_and_know_what_they_come_after() -> None:
    target = TwoAtOnce()
    session = session_with(Scripted(by=target), budget=Budget(concurrency=2))

    def course() -> list[Exchange]:
        def ask() -> Exchange:
            return session.send("GET", "/settings")

        return [ask(), *session.side_by_side([ask] * 3), ask()]

    one, another = session.side_by_side([course] * 2, each=5)

    assert target.most == 2
    assert [exchange.number for exchange in one + another] == list(range(1, 11))
    start, inner, beside_it, _, end = one
    assert inner.is_after(start)
    assert end.is_after(inner)
    assert not beside_it.is_after(inner)
    assert not another[0].is_after(end)


def test_every_call_side_by_side_is_made_whatever_another_raises() -> None:
    session = session_with(Scripted(settings), budget=Budget(concurrency=1))

    def fails() -> Exchange:
        raise Undecided("no")

    with pytest.raises(Undecided, match="no"):
        session.side_by_side([fails, lambda: session.send("GET", "/settings")])

    assert len(session.record) == 1


# ---------------------------------------------------------------------- cleaning up


def holding(by: Any) -> tuple[Session, Scripted]:
    """Return a session that has created ONE and TWO as the user and THREE as the other; `by` answers deletions."""
    ids = iter((ONE, TWO, THREE))
    transport = Scripted(
        by=lambda request: created(next(ids))() if request.method == "POST" else by(request),
    )
    session = session_with(transport)
    for credential in ("user", "user", "other user"):
        session.send("POST", "/requests", credential=credential)
    return session, transport


def test_clean_up_deletes_everything_that_lives_with_the_token_of_its_owner() -> None:
    session, transport = holding(lambda _: httpx.Response(200, text="OK"))

    session.clean_up()

    asked = {
        request.url.path.rpartition("/")[2]: request.headers["Authorization"]
        for request in transport.sent
        if request.method == "DELETE"
    }
    mine, theirs = f"Bearer {TOKEN}", f"Bearer {OTHER_TOKEN}"
    assert asked == {ONE: mine, TWO: mine, THREE: theirs}
    assert session.journal.left_behind == 0
    assert session.journal.deleted == 3


def test_clean_up_goes_on_where_one_deletion_fails() -> None:
    def answer(request: httpx.Request) -> Any:
        if request.url.path.endswith(ONE):
            return NoAnswer(Trouble.DEADLINE, "30 s are over")
        return httpx.Response(500 if request.url.path.endswith(TWO) else 200, text="OK")

    session, _ = holding(answer)

    session.clean_up()

    assert set(session.journal.live) == {ONE, TWO}
    assert session.journal.left_behind == 2


def test_clean_up_again_asks_nothing() -> None:
    session, transport = holding(lambda _: httpx.Response(404))
    session.clean_up()
    count = len(transport.sent)

    session.clean_up()

    assert len(transport.sent) == count
    assert session.journal.left_behind == 0


def test_clean_up_never_sends_an_identifier_that_is_none() -> None:
    transport = Scripted(json_answer(200, data_request(requestId="..")))
    session = session_with(transport)
    session.send("POST", "/requests", credential="user")

    session.clean_up()

    assert transport.methods == ["POST"]
    assert session.journal.left_behind == 1


def test_what_was_created_without_a_token_is_cleaned_up_as_the_user() -> None:
    transport = Scripted(by=lambda request: created()() if request.method == "POST" else httpx.Response(200))
    session = session_with(transport)
    session.send("POST", "/requests")

    session.clean_up()

    assert transport.sent[-1].headers["Authorization"] == f"Bearer {TOKEN}"
    assert session.journal.left_behind == 0


# ---------------------------------------------------------------------- chance


def test_chance_depends_on_nothing_but_the_seed_and_the_check() -> None:
    def drawn(seed: int, *checks: str) -> list[int]:
        session = session_with(Scripted(settings), seed=seed)
        numbers = []
        for check in checks:
            session.begin(check)
            numbers.append(session.chance.getrandbits(64))
        return numbers

    assert drawn(1, "a", "b") == [*drawn(1, "a"), *drawn(1, "b")]
    assert drawn(1, "b", "a")[::-1] == drawn(1, "a", "b")
    assert drawn(1, "a") != drawn(2, "a")
    assert drawn(1, "a") != drawn(1, "b")


def test_a_reading_that_a_deletion_overtook_does_not_bring_the_request_back() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            Service(session).delete(ONE)
            return json_answer(200, data_request(requestId=ONE))()
        return created(ONE)() if request.method == "POST" else httpx.Response(200, text="OK")

    session = session_with(Scripted(by=answer))
    Service(session).post(["orders"])

    read = Service(session).read(ONE)

    assert read.answer is not None
    assert read.answer.status == 200
    assert (session.journal.live, session.journal.gone) == ({}, {ONE})


def test_a_request_that_is_read_after_its_deletion_is_deleted_again() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return json_answer(200, data_request(requestId=ONE))()
        return created(ONE)() if request.method == "POST" else httpx.Response(200, text="OK")

    session = session_with(Scripted(by=answer))
    Service(session).post(["orders"])
    Service(session).delete(ONE)

    Service(session).read(ONE)

    assert session.journal.live == {ONE: "user"}
