from __future__ import annotations

import json
import unicodedata

import pytest

from conformance.model.printable import as_json, clip, printable
from conformance.model.text import count


def test_controls_bidi_and_surrogates_become_visible() -> None:
    assert printable("a\x1b[31m\x00\x9b\u202e\ud800\U000e0041") == r"a\x1b[31m\x00\x9b\u202e\ud800\U000e0041"


def test_line_breaks_are_kept_only_where_asked_for() -> None:
    assert printable("a\r\n\tb") == r"a\r\n\tb"
    assert printable("a\r\n\tb", keep="\n\t") == "a\\r\n\tb"


@pytest.mark.parametrize("text", ["plain", "naïve – “quoted”", "日本語", "עברית", "🙂", r"C:\temp", "<b>&amp;"])
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_no_control_bidi_separator_or_surrogate_survives() -> None:
    bidi = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    hazardous = [
        character
        for character in map(chr, range(0x110000))
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(character) in bidi
    ]
    assert [character for character in hazardous if printable(character) == character] == []


def test_what_is_printable_can_be_encoded_and_is_legal_xml() -> None:
    shown = printable("".join(map(chr, range(0x110000))))
    shown.encode("utf-8")
    assert not any(ord(character) < 0x20 or character in "\ufffe\uffff" for character in shown)


def test_clipping_says_how_much_there_was() -> None:
    assert clip("x" * 10, 10) == "x" * 10
    assert clip("x" * 2000, 3) == "xxx… (2,000 characters in all)"


def test_counting_knows_one_from_many() -> None:
    assert [count(number, "request") for number in (0, 1, 2000)] == ["0 requests", "1 request", "2,000 requests"]


def test_astral_hazards_are_legal_json() -> None:
    assert json.loads(as_json({"a": "\U000e0041\ufffe\x7f"}, indent=2)) == {"a": "\U000e0041\ufffe\x7f"}


def test_numbers_that_json_lacks_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        as_json({"a": float("nan")}, indent=None)
