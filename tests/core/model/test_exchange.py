"""What an answer reads as, and which exception of the application belongs to it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from conformance.model.exchange import Exchange, Request, Response
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


BEGAN = datetime(2026, 1, 1, 12, tzinfo=UTC)


def exchange(number: int, *, status: int = 500, after: float = 0.0, path: str = "/a%20b") -> Exchange:
    return Exchange(
        id=f"e{number}",
        check="",
        operation=None,
        started=datetime.fromtimestamp(BEGAN.timestamp() + after, UTC),
        seconds=0.1,
        request=Request("GET", f"http://127.0.0.1:1{path}?x=1", (), b"", ""),
        response=Response(status, "", "HTTP/1.1", (), b"") if status else None,  # type: ignore[arg-type]
    )


def raised(text: str = "first", *, after: float = 0.01, path: str = "/a b", method: str = "GET") -> Raised:
    return Raised(method, path, BEGAN.timestamp() + after, text)


def test_each_failed_exchange_gets_the_exception_of_its_call() -> None:
    exchanges = [exchange(1), exchange(2, status=200), exchange(3, after=0.05), exchange(4, status=0, after=1)]
    others = [raised(path="/b"), raised(method="POST"), raised(after=5), raised(after=-5)]
    assign(exchanges, [raised("third", after=1.02), *others, raised("second", after=0.06), raised("first")])

    assert [each.raised for each in exchanges] == ["first", "", "second", "third"]
