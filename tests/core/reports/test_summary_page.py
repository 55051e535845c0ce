"""The summary states what the service did, and what follows from that finding, for a reader who does not know HTTP."""

from __future__ import annotations

from typing import Any

import pytest
import report_samples as samples
from hand_made import ONE, exchange
from report_samples import typed
from summary_pages import text_of

from conformance.model.errors import Probe, must_answer
from conformance.model.exchange import Exchange, Operation
from conformance.model.verdict import Verdict
from conformance.reports import summary_page

REFUSED = b'{"error":"Unauthorized","message":"Please log in."}'
CREATED = f'{{"requestId":"{ONE}","isCompleted":false}}'.encode()


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


@pytest.mark.parametrize(
    ("requirement", "call", "probe", "words"),
    [
        # An error with status 200, as some frameworks send it, makes no request.
        ("5.3-create-without-token", called(Operation.CREATE, 200, by="no token", body=REFUSED), must_answer(401), ""),
        # One request beyond the limit refuses no user.
        ("8-limit-enforced", called(Operation.CREATE, 200, body=CREATED), must_answer(400), ""),
        # 201 in place of 200 makes the request.
        ("4.1-answers-200", called(Operation.CREATE, 201, body=CREATED), must_answer(200), ""),
        (
            "4.1-answers-200",
            called(Operation.CREATE, 400),
            must_answer(200),
            "The person could not make a data request with this",
        ),
        (
            "4.3-answers-ok",
            called(Operation.DELETE, 404),
            must_answer(200),
            "The service did not find a data request of this person",
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
    page = text_of(summary_page.render(typed(data), [], "ab12"))
    assert "The tester confirmed that the accounts were empty" in page
    assert "requirement on languages could not be tested" in page
    assert "--" not in page
