"""The explicit calls: what is judged, what is open, and how few are sent."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from uuid import UUID

import pytest
from whole_runs import config, session_over

from conformance.generation import call as writing
from conformance.generation.call import GeneratedCall, creation
from conformance.generation.examples import judged, open_bodies, other_forms, welcome, words
from conformance.generation.generated import generated
from conformance.generation.meaning import is_plainly_unknown, types_in_body
from conformance.model.exchange import Exchange, Operation, header
from conformance.scenarios.api import Api

KNOWN = ["contact-details", "Orders", "café", "a", ""]
LISTED = frozenset(KNOWN)


def every(seed: int, known: list[str] = KNOWN) -> list[GeneratedCall]:
    chance = random.Random(seed)
    return [
        *judged(known, frozenset(known), chance),
        *welcome(known, chance),
        *open_bodies(known, known, chance),
        *words(chance),
        *other_forms("6F1c1a4e-8a0b-4c35-9d2e-0f6b1d7c2a90"),
    ]


def sent(**options: object) -> list[Exchange]:
    """Return the generated exchanges of the scenario, after which nothing is left."""
    with session_over(config(**options)) as session:
        generated.result(Api(session))
        assert session.journal.live == {}
        assert len(session.record) <= 125
        return [each for each in session.record.in_order() if each.intent.generated]


def test_types_that_were_cut_in_a_surrogate_pair_are_sent_as_escapes() -> None:
    cut = ["a\ud83d", "\ud83d", "café"]

    assert any(rb"\ud83d" in (call.content or b"") for seed in range(5) for call in every(seed, cut))
    assert creation(cut).content == rb'["a\ud83d", "\ud83d", "caf\u00e9"]'
    assert creation(("café", "mail")).content == '["café", "mail"]'.encode()


def test_what_is_judged_is_unknown_beyond_doubt() -> None:
    for seed in range(20):
        for call in judged(KNOWN, LISTED, random.Random(seed)):
            if call.content is None:
                assert re.fullmatch(r"[0-9A-Za-z_-]{1,64}", call.segment), call
                continue
            # A NUL in the middle does not make it less unknown; who may refuse it is another matter.
            names = [name.replace("\x00", "") for name in types_in_body(call.content) or ()]
            assert [name for name in names if is_plainly_unknown(name, LISTED)], call
            assert all(name in KNOWN or is_plainly_unknown(name, LISTED) for name in names), call


def test_every_kind_of_identifier_and_of_letter_is_asked_for_whatever_the_seed() -> None:
    for seed in range(20):
        calls = list(judged(KNOWN, LISTED, random.Random(seed)))
        letters = {letter for call in calls for name in types_in_body(call.content or b"") or () for letter in name}
        identifiers = [call.segment for call in calls if call.segment]

        assert {"'", "\x00", "\U0001f600"} <= letters
        assert {UUID(each).version for each in identifiers} == {1, 7}
        assert {each == each.upper() for each in identifiers} == {True, False}


def test_a_request_is_also_asked_for_by_identifiers_that_only_resemble_its_own() -> None:
    own = "6f1c1a4e-8a0b-4c35-9d2e-0f6b1d7c2a90"

    assert [call.segment for call in other_forms(own) if not call.open] == [own[:-1], f"{own}0", f"{own[:-1]}_"]
    assert all(call.open for call in other_forms("17"))  # "1" may be another request


@pytest.mark.parametrize(
    "name", ["ORDERS", " Orders\t", "Ｏｒｄｅｒｓ", "Or\u200bders", "cafe\u0301", "cafe", "", "\x00", "x" * 101]
)
def test_what_some_comparison_takes_for_a_type_is_not_plainly_unknown(name: str) -> None:
    assert not is_plainly_unknown(name, LISTED)


@pytest.mark.parametrize("name", ["Order", "Orderss", "xOrders", "Orders,a", "Оrders", "b", "profile"])
def test_what_differs_in_more_is(name: str) -> None:
    assert is_plainly_unknown(name, LISTED)


def test_nothing_that_may_stand_for_several_requests_is_deleted() -> None:
    calls = [call for seed in range(50) for call in every(seed)]
    deleted = {call.segment for call in calls if call.operation is Operation.DELETE}
    read = {call.segment for call in calls if call.operation is Operation.READ}

    assert deleted
    assert not {"%25", "%27", "%22", "%5C", "*", "_"} & deleted
    assert not {".", "..", ""} & (read | deleted)


def test_a_service_without_types_is_asked_as_well() -> None:
    assert [call for call in every(0, known=[]) if call.operation is Operation.CREATE]
    assert not list(welcome([], random.Random(0)))


@pytest.mark.parametrize("known", [["orders"], ["orders", "account"], ["Größe", "😀", "naïve", '"\\']])
@pytest.mark.parametrize("seed", range(4))
def test_a_known_type_is_always_spelt_out_in_escapes(known: list[str], seed: int) -> None:
    bodies = [call.content or b"" for call in welcome(known, random.Random(seed))]
    spelt_out = [each for each in bodies if each and each == writing.spelt_out(json.loads(each))]

    assert len(spelt_out) == 1
    assert set(known) >= set(json.loads(spelt_out[0]))
    assert not set(spelt_out[0].decode()) - set('[]", \\u0123456789abcdef')


def test_the_reference_answers_each() -> None:
    assert [each for each in sent() if each.response is None] == []


@pytest.mark.parametrize(("languages", "asked"), [(("en", "nl-BE"), {"en", "nl-BE"}), (("Nederlands",), set())])
def test_half_of_what_is_judged_is_asked_in_a_language_that_is_supported(
    languages: tuple[str, ...], asked: set[str]
) -> None:
    refused = [each for each in sent(languages=languages) if "unknown" in (each.intent.request, each.intent.body[:7])]
    named = [header(each.request.headers, "accept-language") for each in refused]

    assert set(named) == {None, *asked}
    assert not asked or 0 < named.count(None) < len(named)


def test_a_base_url_with_capitals_in_scheme_and_host_is_called_as_it_is() -> None:
    call = GeneratedCall(Operation.READ, segment="00000000-0000-4000-8000-000000000000")
    with session_over() as session:
        session.target = replace(session.target, base_url=session.target.base_url.replace("http://", "HTTP://"))
        exchange = call.send(Api(session))

    assert exchange.request.url.casefold() == f"{session.target.base_url}/requests/{call.segment}".casefold()
    assert exchange.status == 404
