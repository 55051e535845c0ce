from __future__ import annotations

from notation import trace_in

from conformance.judge.identifiers.section import identifiers
from conformance.reports.html import bit_image


def test_nothing_is_told_without_identifiers_and_none_of_another_user() -> None:
    for run, is_judged in (
        ("POST -> 200 r1 ... r40", True),
        ("POST -> 200 r1", False),
        ("other POST -> 200 r1 ... r40", False),
    ):
        assert (identifiers(trace_in(run).exchanges, "user", wanted=64) is not None) is is_judged


def test_a_bit_image_has_a_stroke_for_each_run_of_ones_and_an_empty_row_for_what_is_no_identifier() -> None:
    drawn = bit_image(["80000000-0000-0000-0000-00000000000f", "<script>", "f0f00000-0000-0000-0000-000000000000"])

    assert drawn == "M0 0.5h1M124 0.5h4M0 2.5h4M8 2.5h4"
