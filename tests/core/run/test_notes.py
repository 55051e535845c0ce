"""What a reader of the report has to know about the run itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import pytest
import report_samples as samples
from hand_made import BASE, ONE, Scripted, created, json_answer, session_with
from notation import trace_in

from conformance.facts.world import Facts
from conformance.http.creations.cleanup import verify_deletions
from conformance.model.exchange import Intent
from conformance.model.results import EXPIRED, IN_FORCE, UNUSED
from conformance.model.verdict import Blame
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
    ("place", "advised"), [("/v2/requests?a=1", [f"{BASE}/v2."]), ("/requests", []), ("/login", [])]
)
def test_a_creation_that_is_redirected_to_another_base_url_has_a_note(place: str, advised: list[str]) -> None:
    session = session_with(Scripted(lambda: httpx.Response(308, headers={"Location": f"{BASE}{place}"})))
    session.send("POST", "/requests", credential="user")

    found = notes.of_the_target(session, Look(), embedded=False)

    assert [each.remedy.rpartition(" ")[2] for each in found] == advised


def test_server_errors_that_no_requirement_judges_are_one_note_with_count_calls_and_traceback() -> None:
    """A service that parses a body before it tests it answers malformed ones with 500, and conforms."""
    run = trace_in("POST [a] -> 200 r1; POST -> 500; POST -> 500; POST -> 500; POST -> 501; | GET r1 -> 500").exchanges
    for call, body in zip(run[1:5], (b'["unfinished', b'["unfinished', b"null", b""), strict=True):
        call.request, call.intent = replace(call.request, body=body), Intent(body="odd", open=True)
    run[2].repeats, run[1].raised = "e2", "Traceback (most recent call last):\nValueError: line 1 column 2"

    (note,) = notes.of_server_errors(Facts.of(run), [])

    assert note.message.startswith("3 calls got a server error where the specification states no answer")
    assert (note.exchanges, note.traceback.endswith("column 2")) == (("e2", "e4", "e6"), True)


def test_a_stale_waiver_has_a_note() -> None:
    waivers = [samples.waiver("4.3-answers-ok", state=state) for state in (EXPIRED, UNUSED, IN_FORCE)]

    said = [note.message.partition(": ")[0].rpartition(" ")[2] for note in notes.of_waivers(waivers)]
    assert said == ["expired", "unused"]
