from __future__ import annotations

from dataclasses import replace

import pytest
from answered import (
    creation,
    foreign_tongue,
    reading,
)
from hand_made import data_type, deletion, error, exchange
from judged import DATA, LISTED, broken

from conformance.facts.world import Facts
from conformance.judge.exchanges import judge
from conformance.model.error_table import NOT_FOUND
from conformance.model.exchange import Exchange, Superseded


def test_types_of_another_language_are_not_the_types_on_offer() -> None:
    translated = exchange(DATA, 200, [data_type("bestellingen")], language="supported")

    assert Facts.of([LISTED, translated]).types == frozenset(["orders", "account"])


def test_a_refused_language_is_named_as_the_call_asks_for_it() -> None:
    in_query = foreign_tongue(answer={"error": "Bad Request", "message": "No."})
    in_query.request = replace(in_query.request, url=f"{in_query.request.url}?language=eo")
    in_header = exchange(DATA, 400, {"error": "No", "message": "No."}, asked=[("Accept-Language", "eo")])
    in_header.intent = in_query.intent

    said = [next(iter(judge(each, Facts()).violations)).message for each in (in_query, in_header)]

    assert 'GET /data with ?language=eo answered 400 with error "Bad Request"' in said[0]
    assert 'GET /data with Accept-Language eo answered 400 with error "No"' in said[1]


NOT_FOUND_AGAIN = deletion(404, error(NOT_FOUND), "application/json")


@pytest.mark.parametrize("failed", [deletion(500, b""), deletion(403, b"", superseded=Superseded.PASSING)])
def test_after_a_deletion_that_failed_the_request_may_be_gone(failed: Exchange) -> None:
    run = creation(), failed, NOT_FOUND_AGAIN, reading(404, error(NOT_FOUND))

    assert broken(*run)[2:] == [set(), set()]
