"""What to do is said by the answer, where it tells more than the requirement; in the notation of docs/traces.md."""

from __future__ import annotations

import pytest
from assembled import detailed
from notation import trace_in

from conformance.model.requirements import catalogue
from conformance.model.verdict import Verdict

FAILS = "The service fails in this call: find the error in its log"
STRING = "Take requestId as a string in the route"
ROUTE = "Nothing serves DELETE /requests/{requestId}: each of its calls was answered "
LISTED = "GET /data -> 200"
LIST = "let GET /data list them as well"
ROUTER = """'{"statusCode": 404, "error": "Not Found", "message": "Cannot DELETE /requests/8b1d8f0e"}'"""
PAGE = "'<h1>404 Not Found</h1>'"
"""nginx, Express, Flask and Django answer a page, FastAPI and NestJS an object of their own."""


@pytest.mark.parametrize(
    ("requirement", "text", "words"),
    [
        ("4.3-answers-ok", "POST [a] -> 200 r1; DELETE r1 -> 202", "Answer 200 instead of 202, "),
        ("4.3-answers-ok", "POST [a] -> 200 r1; DELETE r1 -> 500", FAILS),
        ("3-removed", "POST [a] -> 200 r1; DELETE r1 -> 200; GET r1 -> 500", FAILS),
        ("2.4-error", """GET r9 -> 404; GET 12-ab -> 422 '{"detail": []}'""", STRING),
        ("0-bodies-are-json", f"GET r9 -> 404; GET 12-ab -> 404 {PAGE}", STRING),
        # Where UUIDs are answered like that as well, the route is not the reason.
        ("0-bodies-are-json", f"GET r9 -> 404 {PAGE}; GET 12-ab -> 404 {PAGE}", ""),
        ("0-bodies-are-json", f"POST [a] -> 200 r1; DELETE r1 -> 404 {PAGE}", ROUTE),
        ("5.3-delete-without-token", f"POST [a] -> 200 r1; DELETE r1 -> 405; anonymous DELETE r1 -> 404 {PAGE}", ROUTE),
        # One answer of the service itself shows that the route is there.
        ("0-bodies-are-json", f"POST [a] -> 200 r1; DELETE r1 -> 404 {PAGE}; DELETE r9 -> 404", ""),
        ("2.1-dataRequested-known", f"""{LISTED}; POST -> 200 r1 {{"dataRequested": ["a", "b", "c"]}}""", LIST),
        ("2.1-dataRequested-known", f"""{LISTED}; POST -> 200 r1 {{"dataRequested": ["a", "c"]}}""", ""),
        ("2.1-dataRequested-known", f"""{LISTED}; POST [a] -> 200 r1 {{"dataRequested": ["a", "b", "c"]}}""", ""),
        ("4.1-answers-200", "POST [a] -> 400 InvalidDataTypes", "Accept each type value that GET /data lists"),
    ],
)
def test_what_to_do_follows_from_the_answers(requirement: str, text: str, words: str) -> None:
    trace = trace_in(text)
    row = detailed([], list(trace.exchanges))[requirement]

    assert row.verdict is Verdict.FAIL
    said = row.findings[0].remedy
    assert words in said if words else said == catalogue()[requirement].remedy
