"""The generated calls: what is judged and what is open, and how few are put."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import replace
from uuid import UUID

import pytest
from whole_runs import config, only, run_over, session_over

from conformance.calibration.faults import FAULTS
from conformance.client import encodings as writing
from conformance.client.api import Api
from conformance.generation.call import GeneratedCall
from conformance.generation.examples import judged, open_bodies, other_forms, welcome, words
from conformance.generation.generated import generated
from conformance.generation.meaning import alike, is_plainly_unknown
from conformance.model.exchange import Operation
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level, Verdict

KNOWN = ["contact-details", "Orders", "café", "a", ""]
LIKENESSES = frozenset(map(alike, KNOWN))


def every(seed: int, known: list[str] = KNOWN) -> list[GeneratedCall]:
    chance = random.Random(seed)
    return [
        *judged(known, frozenset(map(alike, known)), chance),
        *welcome(known, chance),
        *open_bodies(known, known, chance),
        *words(chance),
        *other_forms("6F1c1a4e-8a0b-4c35-9d2e-0f6b1d7c2a90"),
    ]


def test_types_that_were_cut_in_a_surrogate_pair_are_sent_as_escapes() -> None:
    cut = ["a\ud83d", "\ud83d", "café"]

    bodies = [call.body for seed in range(5) for call in every(seed, cut) if call.types is not None]

    assert any(body is not None and rb"\ud83d" in body for body in bodies)
    assert GeneratedCall(Operation.CREATE, types=tuple(cut)).body == rb'["a\ud83d", "\ud83d", "caf\u00e9"]'
    assert GeneratedCall(Operation.CREATE, types=("café", "mail")).body == '["café", "mail"]'.encode()


def test_what_is_judged_is_unknown_beyond_doubt() -> None:
    for seed in range(20):
        chance = random.Random(seed)
        for call in judged(KNOWN, LIKENESSES, chance):
            if call.types is None:
                assert re.fullmatch(r"[0-9A-Za-z_-]{1,64}", call.segment), call
            else:
                # A NUL in the middle does not make it less unknown; who may refuse it is another matter.
                names = [name.replace("\x00", "") for name in call.types]
                assert [name for name in names if is_plainly_unknown(name, LIKENESSES)], call
                assert all(name in KNOWN or is_plainly_unknown(name, LIKENESSES) for name in names), call


def test_every_kind_of_identifier_and_of_letter_is_asked_for_whatever_the_seed() -> None:
    for seed in range(20):
        calls = list(judged(KNOWN, LIKENESSES, random.Random(seed)))
        letters = {letter for call in calls for name in call.types or () for letter in name}
        identifiers = [call.segment for call in calls if call.segment]

        assert {"'", "\x00", "\U0001f600"} <= letters
        assert {UUID(each).version for each in identifiers} == {1, 7}
        assert {each == each.upper() for each in identifiers} == {True, False}


def test_a_request_is_also_asked_for_by_identifiers_that_only_resemble_its_own() -> None:
    own = "6f1c1a4e-8a0b-4c35-9d2e-0f6b1d7c2a90"

    assert [call.segment for call in other_forms(own) if not call.row] == [own[:-1], f"{own}0", f"{own[:-1]}_"]
    assert all(call.row for call in other_forms("17"))  # "1" may be another request


@pytest.mark.parametrize(
    "name", ["ORDERS", " Orders\t", "Ｏｒｄｅｒｓ", "Or\u200bders", "cafe\u0301", "cafe", "", "\x00", "x" * 101]
)
def test_what_some_comparison_takes_for_a_type_is_not_plainly_unknown(name: str) -> None:
    assert not is_plainly_unknown(name, LIKENESSES)


@pytest.mark.parametrize("name", ["Order", "Orderss", "xOrders", "Orders,a", "Оrders", "b", "profile"])
def test_what_differs_in_more_is(name: str) -> None:
    assert is_plainly_unknown(name, LIKENESSES)


def test_every_open_call_belongs_to_an_open_requirement() -> None:
    rows = {call.row for seed in range(5) for call in every(seed) if call.row}

    assert {row for row in rows if catalogue()[row].level is not Level.OPEN} == {"4.1-similar-type"}


def test_nothing_that_may_stand_for_several_requests_is_deleted() -> None:
    calls = [call for seed in range(50) for call in every(seed)]
    deleted = {call.segment for call in calls if call.operation is Operation.DELETE}
    read = {call.segment for call in calls if call.operation is Operation.READ}

    assert deleted
    assert not {"%25", "%27", "%22", "%5C", "*", "_"} & deleted
    assert not {".", "..", ""} & (read | deleted)


def test_a_service_without_types_is_asked_as_well() -> None:
    calls = every(0, known=[])

    assert [call for call in calls if call.operation is Operation.CREATE and not call.row]
    assert not list(welcome([], random.Random(0)))


@pytest.mark.parametrize("known", [["orders"], ["orders", "account"], ["Größe", "😀", "naïve", '"\\']])
@pytest.mark.parametrize("seed", range(4))
def test_a_known_type_is_always_spelt_out_in_escapes(known: list[str], seed: int) -> None:
    spelt_out = [call for call in welcome(known, random.Random(seed)) if call.written is writing.spelt_out]

    assert len(spelt_out) == 1
    body = spelt_out[0].body
    assert body is not None
    assert json.loads(body) == list(spelt_out[0].types or ())
    assert set(known) >= set(json.loads(body))
    assert not set(body.decode()) - set('[]", \\u0123456789abcdef')


def test_nothing_is_said_of_the_reference_and_little_is_asked() -> None:
    with session_over() as session:
        found = generated.result(Api(session))

        assert found.undecided is None
        assert len(session.record) <= 125
        assert session.journal.live == {}
        assert Counter(exchange.response is None for _, exchange in found.asked) == {False: len(found.asked)}


def test_what_is_never_refused_says_nothing_of_how_it_is_refused() -> None:
    plan = only("7-invalid-data-types", "7-invalid-data-types-error")
    run = run_over(bend=FAULTS["unknown-types-are-stored"], plan=plan)

    verdicts = {row.id: row.verdict for row in run.report.requirements}
    assert verdicts["7-invalid-data-types"] is Verdict.FAIL
    assert verdicts["7-invalid-data-types-error"] is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(("languages", "asked"), [(("en", "nl-BE"), {"en", "nl-BE"}), (("Nederlands",), set())])
def test_half_of_what_is_judged_is_asked_in_a_language_that_is_supported(
    languages: tuple[str, ...], asked: set[str]
) -> None:
    with session_over(config(languages=languages)) as session:
        calls = [call for call, _ in generated.result(Api(session)).asked if not call.row]

    refused = [call for call in calls if call.segment or call.types]
    named = [dict(call.headers).get("Accept-Language") for call in refused]
    assert set(named) == {None, *asked}
    assert not asked or 0 < named.count(None) < len(named)


def test_a_base_url_with_capitals_in_scheme_and_host_is_called_as_it_is() -> None:
    call = GeneratedCall(Operation.READ, segment="00000000-0000-4000-8000-000000000000")
    with session_over() as session:
        session.target = replace(session.target, base_url=session.target.base_url.replace("http://", "HTTP://"))
        exchange = call.send(Api(session))

    assert exchange.request.url.casefold() == f"{session.target.base_url}/requests/{call.segment}".casefold()
    assert exchange.response is not None
    assert exchange.response.status == 404


@pytest.mark.parametrize("requirement", ["7-not-found-error", "7-not-found-message"])
def test_refusals_without_a_body_do_not_show_what_they_say(requirement: str) -> None:
    report = run_over(bend=FAULTS["not-found-without-body"], plan=only(requirement)).report

    (row,) = (each for each in report.requirements if each.id == requirement)
    assert row.verdict is Verdict.INCONCLUSIVE
