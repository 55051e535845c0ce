from __future__ import annotations

import json

import pytest

from conformance.model.printable import as_json, printable
from conformance.model.text import without_varying


def test_controls_bidi_and_surrogates_become_visible_and_honest_text_stays() -> None:
    assert printable("a\x1b[31m\x00\x9b\u202e\ud800\U000e0041") == r"a\x1b[31m\x00\x9b\u202e\ud800\U000e0041"

    honest = "naïve – “quoted” 日本語 עברית 🙂 C:\\temp <b>&amp;"
    assert printable(honest) == honest
    assert json.loads(as_json({"a": "\U000e0041\ufffe\x7f"}, indent=2)) == {"a": "\U000e0041\ufffe\x7f"}


@pytest.mark.parametrize(
    ("text", "compared"),
    [
        ("at 2026-01-31T12:00:00Z, call 17", "at 0, call 0"),
        ("a.b:c+d-e f1g;h", "a.b:c+d-e 0;h"),
        ("a" * 200_000, "a" * 200_000),
        ("a" * 200_000 + "7", "0"),
    ],
)
def test_words_with_a_digit_do_not_count_and_long_ones_take_linear_time(text: str, compared: str) -> None:
    assert without_varying(text) == compared
