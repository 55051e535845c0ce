from __future__ import annotations

import json

import pytest

from conformance.reports.exchange_text import lay_out, looks_like_json


def test_members_and_elements_get_a_line_each() -> None:
    assert lay_out('{"a":[1,{"b":null}],"c":{ }}') == (
        '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ],\n  "c": {}\n}'
    )


@pytest.mark.parametrize("value", [{"a": [1, 2.5, 'x,{}[]:"\\'], "": {}}, [], [[[]]], [True, None], {"é": "\n"}])
def test_the_value_stays_the_same(value: object) -> None:
    assert json.loads(lay_out(json.dumps(value))) == value


def test_what_a_parser_would_hide_stays_visible() -> None:
    assert lay_out('{"a":1,"a":2.0,"b":1e999}') == '{\n  "a": 1,\n  "a": 2.0,\n  "b": 1e999\n}'


@pytest.mark.parametrize("text", ["[" * 4096, "]" * 4096, '{"a', '["\\', "{]}[", "{" + "," * 4000])
def test_broken_and_bottomless_text_does_no_harm(text: str) -> None:
    assert len(lay_out(text)) <= 30 * len(text)
    assert lay_out(text).replace("\n", "").replace(" ", "") == text


def test_only_objects_and_arrays_are_laid_out() -> None:
    assert looks_like_json(" [1]")
    assert not looks_like_json('"OK"')
