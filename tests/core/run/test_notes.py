"""What a reader of the report has to know about the run itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import pytest
import report_samples as samples
from hand_made import BASE, ONE, Scripted, created, json_answer, session_with
from notation import request_id, trace_in

from conformance.facts.world import Facts
from conformance.http.creations.cleanup import verify_deletions
from conformance.model.exchange import Intent
from conformance.model.results import EXPIRED, IN_FORCE, UNUSED
from conformance.model.verdict import Blame
from conformance.reports import again
from conformance.run import notes
from conformance.run.preflight import Look

NOT_ASKED = "of this run could not be deleted: no deletion could be sent, or none was yet. By identifier"
BY_HAND = f"To delete it: 'drsi-conformance cleanup', or by hand DELETE {BASE}/requests/"


def told(*ids: str) -> tuple[str, str]:
    session = session_with(Scripted())
    session.journal.live |= dict.fromkeys(ids, "user")
    (note,) = notes.left_behind(session)
    return note.message, note.remedy


@pytest.mark.parametrize(
    ("ids", "message", "remedy"),
    [
        ([ONE], f"1 data request {NOT_ASKED}: {ONE}.", f"{BY_HAND}{ONE}"),
        (["$(id)'"], f"1 data request {NOT_ASKED}: $(id)'.", f"{BY_HAND}%24%28id%29%27"),
        (
            [*map(str, range(notes.SHOWN + 3))],
            f"{notes.SHOWN + 3} data requests {NOT_ASKED}: 0, 1, 2, 3, 4, and 3 more, which the journal names.",
            f"{BY_HAND}{{requestId}}",
        ),
    ],
    ids=["one", "hostile", "many"],
)
def test_the_address_of_what_is_left_can_be_given_to_any_client(ids: list[str], message: str, remedy: str) -> None:
    assert told(*ids) == (message, remedy)


@pytest.mark.parametrize(
    ("app", "remedy"),
    [
        ("app:app", "Or first, in another terminal: 'drsi-conformance serve --app app:app --port 8001'. Then use"),
        (again.OF_TESTS, "Delete it where the application keeps it; what it keeps in its memory is gone."),
    ],
)
def test_no_advice_on_what_is_left_in_an_application_names_its_former_address(app: str, remedy: str) -> None:
    session = session_with(Scripted())
    session.journal.live[ONE] = "user"

    (note,) = notes.left_behind(session, again.to_delete({"app": app}, "http://127.0.0.1:8001/api"))

    assert remedy in note.remedy
    assert "http:" not in note.remedy


@pytest.mark.parametrize("request_id", ["", "..", "a\r\nHost: x", "x" * 513, "\ud800"])
def test_what_no_call_can_name_is_not_given_an_address(request_id: str) -> None:
    message, remedy = told(request_id)

    assert "By identifier: '" in message
    assert "\r" not in message
    assert len(message) < 240
    assert "http" not in remedy
    assert remedy.startswith("Let those who run the service delete it: no path of a call can")


@pytest.mark.parametrize(
    ("before", "blame", "words"),
    [
        ([], Blame.TARGET, "neither as deleted nor as left behind."),
        ([json_answer(502, {})], Blame.NETWORK, "An earlier deletion got no usable answer, and may have removed them."),
    ],
    ids=["404 alone", "404 after an error"],
)
def test_a_request_that_was_not_found_when_it_was_to_be_deleted_has_a_note(
    before: list[Any], blame: Blame, words: str
) -> None:
    session = session_with(Scripted(created(), *before, json_answer(404, {})))
    session.send("POST", "/requests", credential="user")
    session.clean_up(insist=True)
    verify_deletions(session)

    (note,) = notes.of_the_end(session, interrupted=False)

    assert "answered 404 when the run deleted 1 data request that it had created" in note.message
    assert (note.blame, note.message.endswith(words)) == (blame, True)


@pytest.mark.parametrize(
    ("place", "advised"),
    [(f"{BASE}/v2/requests?a=1", [f"{BASE}/v2."]), (f"{BASE}/requests", []), (f"{BASE}/login", [])],
)
def test_a_creation_that_is_redirected_to_another_base_url_has_a_note(place: str, advised: list[str]) -> None:
    session = session_with(Scripted(lambda: httpx.Response(308, headers={"Location": place})))
    session.send("POST", "/requests", credential="user")

    found = [*notes.of_the_target(session, Look(), embedded=False)]

    assert [(each.blame, each.remedy.rpartition(" ")[2]) for each in found] == [
        (Blame.CONFIGURATION, each) for each in advised
    ]


def test_what_a_server_does_with_connections_has_a_note() -> None:
    unread = httpx.Response(400, json={"error": "Bad Request"}, extensions={"after_refused_body": True})
    session = session_with(Scripted(unread, json_answer(200, {})))
    session.send("GET", "/settings")
    session.record._inner.one_at_a_time = True  # type: ignore[attr-defined]

    alone, body = notes.of_the_target(session, Look(), embedded=False)

    assert "to answer one connection at a time" in alone.message
    assert alone.blame is Blame.CONFIGURATION
    assert "seems to leave the body of a call that it refuses unread" in body.message
    assert body.blame is Blame.TARGET


def test_server_errors_that_no_requirement_judges_are_one_note_with_count_calls_and_traceback() -> None:
    """A service that parses a body before it tests it answers malformed ones with 500, and conforms."""
    run = trace_in(
        "POST [a] -> 200 r1; POST -> 500; POST -> 500; POST -> 500; POST -> 501; POST -> 503; | GET r1 -> 500"
    ).exchanges
    for call, body in zip(run[1:6], (b'["unfinished', b'["unfinished', b"null", b"", b""), strict=True):
        call.request, call.intent = replace(call.request, body=body), Intent(body="odd", open=True)
    run[2].repeats = "e2"
    run[1].raised = run[2].raised = "Traceback (most recent call last):\nValueError: line 1 column 2"

    (note,) = notes.of_server_errors(Facts.of(run), [])

    assert note.message == (
        "3 calls got a server error where the specification states no answer: POST /requests 500 (2) and "
        f"GET /requests/{{requestId}} 500 (1), such as POST /requests with the body '[\"unfinished' (e2), POST "
        f"/requests with the body 'null' (e4) and GET /requests/{request_id('r1')[:8]}… (e7)."
    )
    assert note.remedy.startswith("Look for these calls in the log of the service")
    assert (note.blame, note.exchanges) == (Blame.TARGET, ("e2", "e4", "e7"))
    assert note.traceback.endswith("ValueError: line 1 column 2")


def test_each_stale_waiver_has_a_note() -> None:
    waivers = [samples.waiver("4.3-answers-ok", state=state) for state in (EXPIRED, UNUSED, IN_FORCE)]

    assert [note.message.partition(": ")[0] for note in notes.of_waivers(waivers)] == [
        "The waiver of Team API for 4.3-answers-ok expired",
        "The waiver of Team API for 4.3-answers-ok is unused",
    ]
