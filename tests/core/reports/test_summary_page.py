"""The summary states what follows from a finding, for a reader who does not know HTTP (docs/traces.md)."""

from __future__ import annotations

from typing import Any

import pytest
import report_samples as samples
from notation import trace_in
from report_samples import text_of, typed

from conformance.model.errors import Probe, must_answer
from conformance.model.verdict import Verdict
from conformance.reports import summary_page

REFUSED = """'{"error":"Unauthorized","message":"Please log in."}'"""


def told(requirement: str, run: str, probe: Probe | None, verdict: Verdict = Verdict.FAIL, **changes: Any) -> str:
    """Return the text of the finding that rests on the last call of a run."""
    call = trace_in(run).exchanges[-1]
    found = samples.finding(verdict, exchanges=(call.id,), probe=probe, **changes)
    data = samples.data(samples.report(findings={requirement: (found,)}))
    page = text_of(summary_page.render(typed(data), [call], "ab12"))
    return page.partition(f"1. {requirement}")[2].partition("How to verify")[0]


@pytest.mark.parametrize(
    ("requirement", "run", "due", "words"),
    [
        # An error with status 200, as some frameworks send it, makes no request.
        ("5.3-create-without-token", f"anonymous POST [a] -> 200 {REFUSED}", 401, ""),
        # One request beyond the limit refuses no user.
        ("8-limit-enforced", "POST [a] -> 200 r1", 400, ""),
        # 201 in place of 200 makes the request.
        ("4.1-answers-200", "POST [a] -> 201 r1", 200, ""),
        ("4.1-answers-200", "POST [a] -> 400", 200, "The person could not make a data request with this"),
        (
            "4.3-answers-ok",
            "POST [a] -> 200 r1; DELETE r1 -> 404",
            200,
            "The service did not find a data request of this person",
        ),
        (
            "5.3-read-without-token",
            "POST [a] -> 200 r1; anonymous GET r1 -> 200",
            401,
            "The service showed a data request to a caller who had shown no valid access token.",
        ),
        (
            "5.3-delete-with-bad-token",
            'POST [a] -> 200 r1; "a token cut short" DELETE r1 -> 200',
            401,
            "The service confirmed a deletion to a caller who had shown no valid access token.",
        ),
    ],
)
def test_what_a_finding_means_for_a_person_follows_from_its_answer(
    requirement: str, run: str, due: int, words: str
) -> None:
    text = told(requirement, run, must_answer(due))
    assert "The service did" in text
    assert f"For a person {words}" in text if words else "For a person" not in text


def test_an_alert_says_that_one_user_saw_the_request_of_another() -> None:
    text = told("5-isolation", "POST [a] -> 200 r1; other GET r1 -> 200", None, Verdict.OBSERVED, alert=True)
    assert "The specification leaves open whether one user can read or delete a request of another user." in text
    assert "For a person One user was shown the data request of another." in text
