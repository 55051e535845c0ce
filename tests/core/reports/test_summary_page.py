"""The summary states what the service did, and what follows from that finding, for a reader who does not know HTTP."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING, Any

import pytest
import report_samples as samples
from hand_made import ONE, exchange
from report_samples import typed
from summary_pages import text_of

from conformance.model.errors import Probe, must_answer
from conformance.model.exchange import Exchange, Operation
from conformance.model.report import ReportData
from conformance.model.verdict import Verdict
from conformance.reports import summary_page

if TYPE_CHECKING:
    pass

REFUSED = b'{"error":"Unauthorized","message":"Please log in."}'
CREATED = f'{{"requestId":"{ONE}","isCompleted":false}}'.encode()


def page_of(data: ReportData) -> str:
    return summary_page.render(typed(data), samples.exchanges(), "ab12")


def called(
    operation: Operation, status: int, *, by: str = "user", body: bytes = b"{}", meant: str = "existing"
) -> Exchange:
    intent = {"body": "known types"} if operation is Operation.CREATE else {"request": meant}
    return exchange(operation, status, body, number=3, credential=by, **intent)


def told(requirement: str, call: Exchange, probe: Probe | None, **changes: Any) -> str:
    """Return the text of the finding of a run that rests on this call."""
    found = samples.finding(changes.pop("verdict", Verdict.FAIL), exchanges=(call.id,), probe=probe, **changes)
    data = samples.data(samples.report(findings={requirement: (found,)}))
    page = text_of(summary_page.render(typed(data), [call], "ab12"))
    return page.partition(f"1. {requirement}")[2].partition("How to verify")[0]


OK = Probe(kind="text", values=("OK",))


@pytest.mark.parametrize(
    ("requirement", "call", "probe", "words"),
    [
        # 403 in place of 401 says nothing of what others can do.
        ("5.3-create-without-token", called(Operation.CREATE, 403, by="no token"), must_answer(401), ""),
        ("5.3-read-with-bad-token", called(Operation.READ, 404, by="a made-up token"), must_answer(401), ""),
        # An error with status 200, as some frameworks send it, makes no request.
        ("5.3-create-without-token", called(Operation.CREATE, 200, by="no token", body=REFUSED), must_answer(401), ""),
        ("5.3-read-with-bad-token", called(Operation.READ, 200, by="a made-up token"), must_answer(401), ""),
        ("5.3-delete-without-token", called(Operation.DELETE, 200, by="no token"), must_answer(401), ""),
        # One request beyond the limit refuses no user.
        ("8-limit-enforced", called(Operation.CREATE, 200, body=CREATED), must_answer(400), ""),
        # 201 in place of 200 makes the request.
        ("4.1-answers-200", called(Operation.CREATE, 201, body=CREATED), must_answer(200), ""),
        ("4.3-answers-ok", called(Operation.DELETE, 200, body=b'"OK"'), OK, ""),
        ("2.1-requestId-random", called(Operation.CREATE, 200, body=CREATED), Probe(kind="new-id"), ""),
        (
            "4.1-answers-200",
            called(Operation.CREATE, 400),
            must_answer(200),
            "The person could not make a data request with this",
        ),
        (
            "4.3-answers-ok",
            called(Operation.DELETE, 500),
            must_answer(200),
            "The person could not delete this data request",
        ),
        (
            "4.3-answers-ok",
            called(Operation.DELETE, 404),
            must_answer(200),
            "The service did not find a data request of this person",
        ),
        (
            "3-removed",
            called(Operation.READ, 404, meant="deleted"),
            must_answer(200),
            "The person could not read this data request",
        ),
        (
            "5.3-read-without-token",
            called(Operation.READ, 200, by="no token", body=CREATED),
            must_answer(401),
            "The service showed a data request to a caller who had shown no valid access token.",
        ),
        (
            "5.3-delete-with-bad-token",
            called(Operation.DELETE, 200, by="a token cut short", body=b"OK"),
            Probe(kind="other-status", values=("200",)),
            "The service confirmed a deletion to a caller who had shown no valid access token.",
        ),
    ],
)
def test_what_a_finding_means_for_a_person_follows_from_its_answer(
    requirement: str, call: Exchange, probe: Probe | None, words: str
) -> None:
    text = told(requirement, call, probe)
    assert "The service did" in text
    assert f"For a person {words}" in text if words else "For a person" not in text


def test_an_alert_says_that_one_user_saw_the_request_of_another() -> None:
    seen = called(Operation.READ, 200, by="other user", body=CREATED, meant="foreign")
    text = told("5-isolation", seen, None, verdict=Verdict.OBSERVED, alert=True)
    assert "The specification leaves open whether one user can read or delete a request of another user." in text
    assert "For a person One user was shown the data request of another." in text


def test_no_option_is_named() -> None:
    data = samples.eventful()
    data["confirmations"] = ["empty-account", "no-language-selector", "short-token"]
    data["scope"]["undeclared"] = ["4.5-supported-language"]
    page = text_of(page_of(data))
    assert "The tester confirmed that the accounts were empty" in page
    assert "requirement on languages could not be tested" in page
    assert "--" not in page


def test_it_loads_nothing_and_its_style_is_allowed_by_its_digest() -> None:
    data = samples.eventful(samples.HOSTILE)
    page = summary_page.render(typed(data), samples.exchanges(samples.HOSTILE), "ab12")
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"content=\"default-src 'none'; style-src 'sha256-{digest}'\"" in page
    assert not re.search(r"<(script|img|link|iframe|a|form)\b|style=|\bon[a-z]+=\"", page)
