"""Calls and answers in words, as messages name them."""

from __future__ import annotations

import pytest
from hand_made import ONE, exchange

from conformance.model.errors import describe, in_words
from conformance.model.exchange import Operation


@pytest.mark.parametrize(
    ("credential", "words"),
    [
        ("user", ""),
        ("other user", " as the other user"),
        ("no token", " with no token"),
        ("a made-up token", " with a made-up token"),
    ],
)
def test_a_call_is_named_with_its_credential(credential: str, words: str) -> None:
    assert describe(exchange(Operation.DELETE, credential=credential)) == f"DELETE /requests/{ONE[:8]}…{words}"


def test_an_odd_body_is_part_of_the_words() -> None:
    call = exchange(Operation.CREATE, 400, {"error": "InvalidDataTypes"}, sent=b"[1", body="odd")
    assert describe(call) == "POST /requests with the body '[1'"
    assert in_words(call) == '400 "InvalidDataTypes"'
