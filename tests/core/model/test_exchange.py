"""What an answer reads as, and which exception of the application belongs to it."""

from __future__ import annotations

import pytest
from notation import BEGIN, trace_of

from conformance.model.exchange import Response
from conformance.model.raised import Raised, assign


def text(body: bytes, label: str | None) -> str:
    headers = () if label is None else (("Content-Type", label),)
    return Response(200, "OK", "HTTP/1.1", headers, body).text


@pytest.mark.parametrize("label", ["text/plain; charset=utf-16", 'TEXT/plain;format=flowed ; Charset="UTF-16"'])
def test_a_text_is_read_by_the_charset_of_its_label(label: str) -> None:
    assert text("OK".encode("utf-16"), label) == "OK"


@pytest.mark.parametrize(
    "label",
    [None, "application/json; charset=utf-16", "text/plain; charset=idna", "text/plain; charset=\x00"],
)
def test_where_no_charset_is_named_that_is_known_it_is_utf_8(label: str | None) -> None:
    assert text("é".encode(), label) == "é"
    assert text(b"\xff", label) == r"\xff"


def raised(text: str, *, at: float, path: str = "/api/a b", method: str = "GET") -> Raised:
    """Return an exception so many seconds after a trace begins, whose calls begin after 1, 2, 3 … seconds."""
    return Raised(method, path, BEGIN.timestamp() + at, text)


def test_each_failed_exchange_gets_the_exception_of_its_call() -> None:
    steps = (
        "| GET /a%20b?x=1 -> 500",
        "| GET /a%20b?x=1 -> 200",
        "| GET /a%20b?x=1 -> 500",
        "GET /a%20b?x=1 -> closed",
    )
    exchanges = trace_of(steps).exchanges
    others = [raised("", at=1, path="/api/b"), raised("", at=1, method="POST"), raised("", at=8), raised("", at=-4)]
    assign(exchanges, [raised("third", at=4.1), *others, raised("second", at=1.06), raised("first", at=1.01)])

    assert [each.raised for each in exchanges] == ["first", "", "second", "third"]
