from __future__ import annotations

import uuid

from hand_made import data_request, exchange

from conformance.judge.identifiers.section import identifiers
from conformance.model.exchange import Exchange, Operation
from conformance.reports.html import bit_image


def creations(count: int, credential: str = "user") -> list[Exchange]:
    return [
        exchange(
            Operation.CREATE, 200, data_request(requestId=str(uuid.UUID(int=each))), number=each, credential=credential
        )
        for each in range(1, count + 1)
    ]


def test_nothing_is_told_without_identifiers_and_none_of_another_user() -> None:
    assert identifiers(creations(40), "user", wanted=64) is not None
    assert identifiers(creations(1), "user", wanted=64) is None
    assert identifiers(creations(40, "other user"), "user", wanted=64) is None


def test_a_bit_image_has_a_stroke_for_each_run_of_ones_and_an_empty_row_for_what_is_no_identifier() -> None:
    drawn = bit_image(["80000000-0000-0000-0000-00000000000f", "<script>", "f0f00000-0000-0000-0000-000000000000"])

    assert drawn == "M0 0.5h1M124 0.5h4M0 2.5h4M8 2.5h4"
