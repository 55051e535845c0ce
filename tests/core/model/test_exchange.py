"""What an answer reads as."""

from __future__ import annotations

import pytest

from conformance.model.exchange import Response


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
