from __future__ import annotations

from decimal import Decimal

import pytest

from conformance.model.strict_json import MAX_DEPTH, MAX_VALUES, parse


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": [1, -2.5, true, null, "\\u00e9\xc3\xa9"]}', {"a": [1, -2.5, True, None, "éé"]}),
        (b' "x"\r\n', "x"),
        (b"-0", 0),
        (b"2.0", 2.0),
        (b'"\\ud800"', "\ud800"),
        (b'"\\u0000"', "\0"),
        (b"1e99999", Decimal("1e99999")),
        (b"-1e99999", Decimal("-1e99999")),
        (b"1e-99999", 0.0),
        (b"9" * 5000, Decimal("9" * 5000)),
        (b"9" * 400, 10**400 - 1),
        (b'"NaN"', "NaN"),
    ],
)
def test_json_is_read(body: bytes, value: object) -> None:
    document = parse(body)

    assert document.problem is None
    assert document.value == value
    assert type(document.value) is type(value)


def test_a_number_beyond_every_exponent_is_finite_still() -> None:
    value = parse(b"-1e" + b"9" * 40).value

    assert value.is_finite()
    assert value < Decimal("-1e99999")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "empty"),
        (b" \n", "white space"),
        (b'["\xc3\xa9\xff"]', "not UTF-8: byte 0xff at byte 4"),
        (b'"\xed\xa0\x80"', "not UTF-8: byte 0xed at byte 1"),
        ('{"a":1}'.encode("utf-16"), "UTF-16"),
        ('{"a":1}'.encode("utf-16-le"), "UTF-16"),
        ('{"a":1}'.encode("utf-16-be"), "UTF-16"),
        ('{"a":1}'.encode("utf-32"), "UTF-32"),
        ('{"a":1}'.encode("utf-32-le"), "UTF-32"),
        ('{"a":1}'.encode("utf-32-be"), "UTF-32"),
        (b'["NaN\\"", NaN]', "NaN at byte 10"),
        (b"-Infinity", "-Infinity at byte 0"),
        (b"{} {}", "before byte 3, but more follows: '{}'"),
        (b'\xef\xbb\xbf"\xc3\xa9" x', "before byte 8"),
        (b'{"a": [1,', "cut off: the body ends at byte 9"),
        (b'{"a": "x', "cut off: the body ends at byte 8"),
        (b"[tru", "cut off: the body ends at byte 4"),
        (b"  <!DOCTYPE html><html>", "looks like HTML"),
        (b"<?xml version='1.0'?>", "looks like XML"),
        (b'{"a":1,}', "not JSON at byte"),
        (b"{'a':1}", "not JSON at byte 1"),
        (b"01", "before byte 1"),
        (b'"\t"', "not JSON at byte 1: invalid control character, found"),
        (b"OK", "not JSON at byte 0: expecting value, found 'OK'"),
        (b"\x00", "UTF-16"),
    ],
)
def test_what_is_not_json_is_explained(body: bytes, problem: str) -> None:
    document = parse(body)

    assert document.problem is not None
    assert problem in document.problem
    assert document.value is None
    assert not document.unread


def test_a_byte_order_mark_is_tolerated() -> None:
    document = parse(b"\xef\xbb\xbf{}")

    assert (document.value, document.problem) == ({}, None)


def test_members_of_the_same_name_are_noted_and_the_last_counts() -> None:
    document = parse(b'[{"a":1,"b":2,"a":3}, {"c":{"d":1,"d":2,"d":3}}]')

    assert document.value == [{"a": 3, "b": 2}, {"c": {"d": 3}}]
    assert set(document.duplicate_members) == {"a", "d"}
    assert parse(b'[{"a":1},{"a":1}]').duplicate_members == ()


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (b'{"a":1,"a":1}', ()),
        (b'{"a":1,"a":1.0}', ()),
        (b'{"a":{"b":[1,null],"c":2},"a":{"c":2,"b":[1,null]}}', ()),
        (b'{"a":1,"a":2}', ("a",)),
        (b'{"a":1,"a":2,"a":1}', ("a",)),
        (b'{"a":1,"a":true}', ("a",)),
        (b'{"a":[0],"a":[false]}', ("a",)),
        (b'{"a":"1","a":1}', ("a",)),
        (b'{"a":{"b":1},"a":{"b":1,"c":1}}', ("a",)),
        (b'{"\\u0061":1,"a":2}', ("a",)),
        (b'[[{"x":{"a":1,"a":2}}]]', ("a",)),
        (b"{" + b"".join(b'"%d":1,"%d":1,' % (number, number) for number in range(150)) + b'"a":1,"a":2}', ("a",)),
        (b'{"a":' * MAX_DEPTH + b"1" + b',"a":2}' * MAX_DEPTH, ("a",)),
    ],
)
def test_members_of_the_same_name_with_different_values_are_noted(body: bytes, names: tuple[str, ...]) -> None:
    document = parse(body)

    assert document.problem is None
    assert document.duplicate_members
    assert document.conflicting_members == names


def test_equal_objects_are_compared_to_their_full_depth() -> None:
    deep = b'{"a":' * (MAX_DEPTH - 1) + b"1" + b"}" * (MAX_DEPTH - 1)

    assert parse(b'{"b":' + deep + b',"b":' + deep + b"}").conflicting_members == ()


@pytest.mark.parametrize(
    "body",
    [
        b"[" * MAX_DEPTH + b"]" * MAX_DEPTH,
        b'{"a":' * MAX_DEPTH + b"1" + b"}" * MAX_DEPTH,
        b'["' + b"[" * 2000 + b'"]',
        b'["\\"' + b"[{" * 2000 + b'\\\\"]',
        b'["",' + b'"[","","]{[",' * 2000 + b'""]',
        b"[" + b"[]," * 2000 + b"[]]",
    ],
    ids=["arrays", "objects", "string", "escapes", "strings", "wide"],
)
def test_nesting_up_to_the_limit_is_read(body: bytes) -> None:
    assert parse(body).problem is None


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 10_000, 1_000_000])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}"), (b'["]","",', b"]")])
def test_deeper_nesting_is_beyond_the_limit_but_not_called_wrong(depth: int, opening: bytes, closing: bytes) -> None:
    document = parse(opening * depth + b"1" + closing * depth)

    assert document.unread
    assert document.problem is not None
    assert str(MAX_DEPTH) in document.problem
    assert "legal JSON" in document.problem


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b"0," * (MAX_VALUES - 2) + b"0]",
        b'{"a":[' + b"0," * (MAX_VALUES - 3) + b"0]}",
        b"[" + b"[ ]," * (MAX_VALUES - 2) + b"{}]",
        b'["' + b",[{" * MAX_VALUES + b'"]',
        b'["\\\\",' + b'",[",' * (MAX_VALUES - 3) + b'"\\\\\\","]',
    ],
    ids=["array", "object", "empty", "string", "strings"],
)
def test_as_many_values_as_the_limit_are_read(body: bytes) -> None:
    assert parse(body).problem is None


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b"0," * (MAX_VALUES - 1) + b"0]",
        b"[" + b"[ ]," * (MAX_VALUES - 1) + b"{}]",
        b'{"a":[' + b'{"b":""},' * MAX_VALUES + b"null]}",
        b'["' + b"\\" * 10 + b'"' + b',"a"' * MAX_VALUES + b"]",
        b"[" + b"0," * (MAX_VALUES - 1) + b"NaN]",
    ],
    ids=["numbers", "empty", "objects", "strings", "wrong beyond the limit"],
)
def test_more_values_are_beyond_the_limit_but_not_called_wrong(body: bytes) -> None:
    document = parse(body)

    assert (document.unread, document.value) == (True, None)
    assert document.problem is not None
    assert f"{MAX_VALUES:,}" in document.problem


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"[0," + b"NaN," + b"0," * MAX_VALUES + b"0]", "NaN at byte 3 is not JSON"),
        (b"[0;" + b"0," * MAX_VALUES + b"0]", "byte 2"),
    ],
    ids=["constant", "separator"],
)
def test_what_is_wrong_before_the_limit_is_called_wrong(body: bytes, problem: str) -> None:
    document = parse(body)

    assert not document.unread
    assert document.problem is not None
    assert problem in document.problem


def test_large_bodies_are_read_in_one_go() -> None:
    assert len(parse(b"[" + b",".join([b"[]"] * 300_000) + b"]").value) == 300_000
    assert parse(b'["' + b"\\n" * 500_000 + b'",NaN]').problem == "NaN at byte 1000004 is not JSON"
    assert parse(b"9" * 1_000_000).problem is None
    unterminated = parse(b'"' + b'\\"' * 300_000 + b"," * MAX_VALUES)
    assert not unterminated.unread
    assert str(unterminated.problem).startswith("cut off")
