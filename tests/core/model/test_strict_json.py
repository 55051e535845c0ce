"""JSON and text of a service: what is read, what is shown, and what counts in a comparison."""

from __future__ import annotations

import json
from sys import float_info

import pytest

from conformance.model.exchange import Response
from conformance.model.printable import as_json, printable
from conformance.model.strict_json import MAX_DEPTH, MAX_VALUES, parse
from conformance.model.text import without_varying


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": [1, -2.5, true, null, "\\u00e9\xc3\xa9"]}', {"a": [1, -2.5, True, None, "éé"]}),
        (b' "x"\r\n', "x"),
        (b'"\\ud800"', "\ud800"),
        (b"1e99999", float_info.max),
        (b"-1e" + b"9" * 40, -float_info.max),
        (b"9" * 5000, 10**308 - 1),
        (b'"NaN"', "NaN"),
    ],
)
def test_json_is_read(body: bytes, value: object) -> None:
    document = parse(body)

    assert document.problem is None
    assert document.value == value
    assert type(document.value) is type(value)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "empty"),
        (b" \n", "white space"),
        (b'["\xc3\xa9\xff"]', "not UTF-8: byte 0xff at byte 4"),
        (b'"\xed\xa0\x80"', "not UTF-8: byte 0xed at byte 1"),
        ('{"a":1}'.encode("utf-16"), "UTF-16"),
        (b'["NaN\\"", NaN]', "NaN is not JSON"),
        (b'\xef\xbb\xbf"\xc3\xa9" x', "before byte 5"),
        (b'{"a": [1,', "cut off: the body ends at byte 9"),
        (b"  <!DOCTYPE html><html>", "looks like HTML"),
        (b'{"a":1,}', "not JSON at byte"),
        (b'"\t"', "not JSON at byte 1: invalid control character, found"),
        (b"OK", "not JSON at byte 0: expecting value, found 'O'"),
    ],
)
def test_what_is_not_json_is_explained(body: bytes, problem: str) -> None:
    document = parse(body)

    assert document.problem is not None
    assert problem in document.problem
    assert document.value is None
    assert not document.unread


@pytest.mark.parametrize(
    ("body", "differs"),
    [
        (b'{"a":1,"a":1.0}', False),
        (b'{"a":{"b":[1,null],"c":2},"a":{"c":2,"b":[1,null]}}', False),
        (b'{"\\u0061":1,"a":2}', True),
        (b'[[{"x":{"a":1,"a":2}}]]', True),
        (b'{"a":' * MAX_DEPTH + b"1" + b',"a":2}' * MAX_DEPTH, True),
    ],
)
def test_members_of_the_same_name_are_noted_and_the_last_counts(body: bytes, differs: bool) -> None:
    assert parse(body).repeated_members == {"a": differs}
    assert parse(b'{"a":1,"b":2,"a":3}').value == {"a": 3, "b": 2}
    assert parse(b'[{"a":1},{"a":1}]').repeated_members == {}


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}"), (b'["]","",', b"]")])
def test_nesting_beyond_the_limit_is_not_read_and_not_called_wrong(depth: int, opening: bytes, closing: bytes) -> None:
    document = parse(opening * depth + b"1" + closing * depth)

    assert document.unread is (depth > MAX_DEPTH)
    assert (document.problem is None) is not document.unread
    for words in (str(MAX_DEPTH), "legal JSON"):
        assert document.problem is None or words in document.problem


@pytest.mark.parametrize("body", [b'["' + b"[" * 2000 + b'"]', b'["",' + b'"[","","]{[",' * 2000 + b'""]'])
def test_brackets_in_strings_are_no_nesting(body: bytes) -> None:
    assert parse(body).problem is None


def test_more_values_than_the_limit_are_not_read_and_not_called_wrong() -> None:
    assert parse(b"[" + b"0," * (MAX_VALUES - 2) + b"0]").problem is None

    document = parse(b"[" + b"0," * (MAX_VALUES - 1) + b"0]")

    assert (document.unread, document.value) == (True, None)
    assert f"{MAX_VALUES:,}" in str(document.problem)


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
