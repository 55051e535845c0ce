"""The explicit calls: what is judged is unknown beyond doubt, and what is deleted stands for one request."""

from __future__ import annotations

import random
import re

import pytest

from conformance.generation.call import GeneratedCall, creation
from conformance.generation.examples import judged, open_bodies, other_forms, welcome, words
from conformance.generation.meaning import is_plainly_unknown, types_in_body
from conformance.model.exchange import Operation

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


@pytest.mark.parametrize(
    "name", ["ORDERS", " Orders\t", "Ｏｒｄｅｒｓ", "Or\u200bders", "cafe\u0301", "cafe", "", "\x00", "x" * 101]
)
def test_what_some_comparison_takes_for_a_type_is_not_plainly_unknown(name: str) -> None:
    assert not is_plainly_unknown(name, LISTED)


def test_nothing_that_may_stand_for_several_requests_is_deleted() -> None:
    calls = [call for seed in range(50) for call in every(seed)]
    deleted = {call.segment for call in calls if call.operation is Operation.DELETE}
    read = {call.segment for call in calls if call.operation is Operation.READ}

    assert deleted
    assert not {"%25", "%27", "%22", "%5C", "*", "_"} & deleted
    assert not {".", "..", ""} & (read | deleted)
