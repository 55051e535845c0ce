"""What of the value of a further header field is a secret wherever it appears."""

from __future__ import annotations

import base64

import pytest

from conformance.http.secrets.words import distinctive_parts

PAIR = base64.b64encode(b"staging:pass-of-the-gate").decode()


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("k3y-of-the-gateway", ["k3y-of-the-gateway"]),
        ("Token k3y-of-the-gateway", ["Token k3y-of-the-gateway", "k3y-of-the-gateway"]),
        (f"Basic {PAIR}", [f"Basic {PAIR}", PAIR, "staging:pass-of-the-gate", "pass-of-the-gate"]),
        (f"basic  {PAIR}", [f"basic  {PAIR}", PAIR, "staging:pass-of-the-gate", "pass-of-the-gate"]),
        ('Key id="a", key="k3y-of-the-gateway"', ['Key id="a", key="k3y-of-the-gateway"', "k3y-of-the-gateway"]),
        ("dataRequested", []),
        ("requests", []),
    ],
    ids=[
        *("a key", "after a scheme", "Basic", "two spaces", "parameters"),
        *("a word of the interface", "a word of the suite"),
    ],
)
def test_the_parts_of_a_value_that_are_marked(value: str, parts: list[str]) -> None:
    assert list(distinctive_parts(value)) == parts
