from __future__ import annotations

import json
from dataclasses import replace

import pytest
from assembled import read

from conformance.reports.exchange_text import BODY_LIMIT, exchange_text


def shown(body: str) -> str:
    """Return how the page shows a body, without the lines above it."""
    exchange = read(200, 1)
    assert exchange.response is not None
    exchange.response = replace(exchange.response, headers=(), content=body.encode())
    return exchange_text(exchange).answer.partition("\n\n")[2]


def test_members_and_elements_get_a_line_each_also_those_that_a_parser_would_hide() -> None:
    assert shown('{"a":[1,{"b":null}],"c":{ }}') == (
        '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ],\n  "c": {}\n}'
    )
    assert shown('{"a":1,"a":2.0,"b":1e999}') == '{\n  "a": 1,\n  "a": 2.0,\n  "b": 1e999\n}'


@pytest.mark.parametrize("value", [{"a": [1, 2.5, 'x,{}[]:"\\'], "": {}}, [], [[[]]], [True, None], {"é": "\n"}])
def test_the_value_stays_the_same(value: object) -> None:
    assert json.loads(shown(json.dumps(value))) == value


@pytest.mark.parametrize("text", ["[" * 4096, "]" * 4096, '{"a', '["\\', "{]}[", "{" + "," * 4000, '"OK"', "[1"])
def test_what_is_no_object_or_array_stays_as_it_is(text: str) -> None:
    assert shown(text) == text


def test_a_long_body_is_cut() -> None:
    begin, mark = shown("é" * 9000)[:BODY_LIMIT], shown("é" * 9000)[BODY_LIMIT:]
    assert (begin, mark.strip()) == ("é" * BODY_LIMIT, "[cut short; all 18,000 bytes are in evidence.har, entry e1]")
