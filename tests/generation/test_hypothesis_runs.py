"""Shrinking: the smallest selection of parts that fails, each selection tried once, and an end when told so."""

from __future__ import annotations

from conformance.generation.hypothesis_runs import shrink
from conformance.generation.model import SequenceEnded

LETTERS = "abcdxefgh" * 2


def shrunk(needed: str, *, allowed: int = 1000) -> tuple[str | None, list[str]]:
    tried: list[str] = []

    def fails(kept: tuple[int, ...]) -> str | None:
        if len(tried) == allowed:
            raise SequenceEnded
        tried.append("".join(LETTERS[index] for index in kept))
        return tried[-1] if all(each in tried[-1] for each in needed) else None

    return shrink(LETTERS, fails, seed=0), tried


def test_the_smallest_selection_is_found_and_nothing_is_tried_twice() -> None:
    least, tried = shrunk("xg")

    assert least is not None
    assert sorted(least) == ["g", "x"]
    assert len(tried) < 60


def test_what_can_be_tried_no_more_ends_with_the_smallest_so_far() -> None:
    least, tried = shrunk("xg", allowed=8)

    assert len(tried) == 8
    assert least is not None
    assert {"x", "g"} <= set(least)


def test_what_does_not_fail_has_no_smallest_form() -> None:
    assert shrunk("z")[0] is None


def test_all_parts_of_a_group_are_dropped_together() -> None:
    tried: list[tuple[int, ...]] = []

    def fails(kept: tuple[int, ...]) -> bool | None:
        tried.append(kept)
        return 0 in kept or None

    assert shrink("x" + "y" * 30, fails, seed=0, groups=lambda letter: (letter,))
    assert len(tried) < 12
