"""Noise: answers that may not be the service's own, and answers that ask to retry later."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import httpx
import pytest
from hand_made import ONE, SETTINGS, Scripted, Waits, session_with
from hand_made import json_answer as answer

from conformance.http import noise
from conformance.http.session import Session
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import ErrorKind, Exchange, Intent, TransportError
from conformance.model.target import SEVERAL
from conformance.model.verdict import Blame

settings = answer(200, SETTINGS)
CALLS = {"GET": "/settings", "POST": "/requests", "DELETE": f"/requests/{ONE}"}
KNOWN, RACING = Intent(body="omitted"), Intent(body="omitted", racing=True)


def page(status: int, text: str = "<h1>Blocked</h1>", **headers: str) -> Any:
    """Return an answer with a page, which is none of the service's own."""
    return lambda: httpx.Response(status, text=text, headers={"content-type": "text/html", **headers})


def call(session: Session, method: str, intent: Intent = KNOWN) -> Exchange:
    return session.send(method, CALLS[method], credential="user", intent=intent if method == "POST" else Intent())


def ready(*answers: Any, **more: Any) -> tuple[Session, Waits]:
    """Return a session whose GET /settings was answered, and its waits; the transport gives `answers` next."""
    waits = Waits()
    session = session_with(Scripted(settings, *answers), clock=waits, **more)
    session.send("GET", "/settings")
    return session, waits


def calls(session: Session) -> list[str]:
    """Return the calls after the first, each with its status, or its error, and why it decides nothing."""
    return [
        " ".join(filter(None, (each.request.method, str(each.status or each.error), each.superseded)))
        for each in session.record.in_order()[1:]
    ]


def dropped(*, reused: bool) -> TransportError:
    return TransportError(ErrorKind.CLOSED, "closed without an answer", reused=reused)


gone = TransportError(ErrorKind.CONNECT, "nothing listens on this port")

ANY = "GET POST DELETE"
TABLED = {"error": "MaximumAmountOfRequestsReached"}
NOT_FOUND = {"error": "Not Found", "message": "Could not find a data request with this id."}
LATER = answer(429, retry_after="7"), answer(503, retry_after="2")
FAILED, OK, PAGE = answer(500), answer(200), page(403)
MALFORMED = {"error": "Bad Request", "message": "Malformed JSON."}
AFTER_A_REFUSED_BODY = httpx.Response(400, json=MALFORMED, extensions={"after_refused_body": True})
FAILED_AFTER_A_REFUSED_BODY = httpx.Response(500, json={}, extensions={"after_refused_body": True})

ONE_CALL: dict[str, tuple[list[Any], str, str, list[float]]] = {
    "Retry-After is obeyed": ([*LATER, OK], ANY, "429 rate-limited, 503 unavailable, 200", [7, 2]),
    "no call is repeated for ever": (
        [answer(429, retry_after="0")],
        ANY,
        ", ".join(["429 rate-limited"] * (1 + SEVERAL)),
        [],
    ),
    "a quota": ([answer(403, {"error": "Quota"}, retry_after="1"), OK], ANY, "403 rate-limited, 200", [1]),
    "no quota is left": ([answer(403, {}, x_ratelimit_remaining="0"), OK], ANY, "403 rate-limited, 200", [0.5]),
    **{
        f"a gateway answers {status}": ([answer(status), OK], ANY, f"{status} unavailable, 200", [0.5])
        for status in (408, 425, 503, 509)
    },
    **{
        f"a gateway gave up with {status}": ([answer(status), OK], "GET DELETE", f"{status} unavailable, 200", [0.5])
        for status in (502, 504, 520, 530, 598, 599)
    },
    **{
        f"a creation after {status}": ([answer(status, retry_after="1"), OK], "POST", f"{status} unavailable", [])
        for status in (502, 504, 520)
    },
    **{
        f"an error of the table with {status}": ([answer(status, TABLED, retry_after="5")], ANY, f"{status}", [])
        for status in (429, 503)
    },
    **{
        f"{status} is the service's own": ([answer(status, {}, retry_after="5")], ANY, f"{status}", [])
        for status in (200, 400, 401, 404, 501)
    },
    "a server error passes": ([FAILED, OK], ANY, "500 passing, 200", []),
    "it does not pass": ([FAILED], ANY, "500, 500, 500, 500", [1, 2]),
    "a page passes": ([PAGE, settings, OK], ANY, "403 passing, =GET 200, 200", []),
    "a page in place of the error": (
        [page(404), settings, answer(404, NOT_FOUND)],
        ANY,
        "404 passing, =GET 200, 404",
        [],
    ),
    "a page comes again": ([PAGE, settings, PAGE], ANY, "403, =GET 200, 403", []),
    "all are refused": ([PAGE, PAGE, OK], ANY, "403 unavailable, =GET 403 unavailable, 200", [0.5]),
    "a redirect of the service": ([page(303, location=f"/requests/{ONE}"), OK], "POST DELETE", "303", []),
    "an unread body": ([AFTER_A_REFUSED_BODY, OK], ANY, "400 misplaced, 200", []),
    "a server error after an unread body": ([FAILED_AFTER_A_REFUSED_BODY, OK], ANY, "500 passing, 200", []),
    "no unread body": (
        [AFTER_A_REFUSED_BODY, answer(503), answer(400, MALFORMED)],
        ANY,
        "400, 503 unavailable, 400",
        [1],
    ),
    "dropped once": ([dropped(reused=False), OK], "GET DELETE", "closed, 200", []),
    "dropped twice": ([dropped(reused=False)], "GET DELETE", "closed, closed", []),
    "it restarts": ([gone, gone, OK], ANY, "connect, connect, 200", [0.5, 1]),
    "it restarts slowly": ([*[gone] * 6, OK], ANY, ", ".join(["connect"] * 6 + ["200"]), [0.5, 1, 2, 2, 2, 2]),
}


@pytest.mark.parametrize("case", ONE_CALL)
def test_a_call_is_made_again_where_its_answer_may_be_noise(case: str) -> None:
    answers, methods, expected, waited = ONE_CALL[case]
    for method in methods.split():
        session, waits = ready(*answers)

        exchange = call(session, method)

        lines = [each.removeprefix("=") if "=" in each else f"{method} {each}" for each in expected.split(", ")]
        assert (calls(session), waits) == (lines, waited)
        assert exchange is session.record.in_order()[-1]


def test_all_waits_together_stay_within_the_patience_of_the_run_and_of_the_clean_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(noise, "PATIENCE", 10.0)
    later = answer(429, retry_after="4")
    session, waits = ready(*[later] * 4, answer(503, retry_after="9"), OK)

    exchanges = [call(session, "GET") for _ in range(2)]
    deleted = session.send("DELETE", CALLS["DELETE"], credential="user", intent=Intent(request="clean-up"))

    assert waits == [4.0, 4.0, 5.0]  # one Retry-After gets half of the patience
    for each in exchanges:
        with pytest.raises(NotDecided, match="429") as error:
            answer_of(each)
        assert "--rate" in error.value.remedy
    assert answer_of(deleted).status == 200


def test_more_failures_than_one_in_twelve_calls_count() -> None:
    session, _ = ready(*[FAILED, OK] * 5, *[OK] * 37)

    for _ in range(5):
        call(session, "GET")
    early = sum(each.failed for each in session.record.exchanges)
    for _ in range(37):
        call(session, "GET")

    assert (early, sum(each.failed for each in session.record.exchanges)) == (2, 1)


@pytest.mark.parametrize(
    ("noise", "intent", "expected"),
    [
        (FAILED, RACING, "POST 500"),
        (FAILED, Intent(generated=True, open=True), "POST 500"),
        (PAGE, RACING, "POST 403 unavailable"),
        (gone, RACING, "POST connect"),
    ],
)
def test_calls_of_a_race_and_open_calls_are_not_repeated(noise: Any, intent: Intent, expected: str) -> None:
    session, _ = ready(noise, OK)

    call(session, "POST", intent)

    assert calls(session) == [expected]


@pytest.mark.parametrize(
    ("outage", "message"),
    [
        (page(302, location="https://status.example/"), "refuses every call alike"),
        *(
            (TransportError(kind, "nothing listens"), "did not reach the service")
            for kind in (ErrorKind.DNS, ErrorKind.TLS)
        ),
    ],
)
def test_an_outage_that_lasts_ends_the_run(outage: Any, message: str) -> None:
    session, _ = ready(outage)

    for _ in range(SEVERAL):
        with suppress(NotDecided):
            call(session, "POST")
    with pytest.raises(NotDecided, match=message) as ended:
        call(session, "POST")

    assert ended.value.blame is Blame.NETWORK
    assert "firewall" in ended.value.remedy
    assert len(session.record) <= 2 + (1 + SEVERAL) * SEVERAL
    assert (session.journal.pending, session.journal.spent, session.journal.left_behind) == (0, 0, 0)


def test_a_restart_beside_simultaneous_calls_does_not_end_the_run() -> None:
    session, _ = ready(*[gone] * (SEVERAL + 1), OK)

    assert [call(session, "POST", RACING).error for _ in range(SEVERAL + 1)] == [ErrorKind.CONNECT] * (SEVERAL + 1)
    assert call(session, "POST").status == 200


def test_an_operation_that_never_answers_is_called_no_more() -> None:
    silent = TransportError(ErrorKind.DEADLINE, "no byte of an answer within 15 s")
    transport = Scripted(by=lambda request: silent if "/data" in str(request.url) else settings())
    session = session_with(transport)

    exchanges = [session.send("GET", "/data") for _ in range(SEVERAL + 2)]
    other = session.send("GET", "/settings")
    with_a_token = session.send("GET", "/data", credential="user")

    assert transport.paths == ["/api/data"] * SEVERAL + ["/api/settings", "/api/data"]
    assert exchanges[-1].error is ErrorKind.SILENT
    assert answer_of(other).status == 200
    assert with_a_token.error is ErrorKind.DEADLINE
