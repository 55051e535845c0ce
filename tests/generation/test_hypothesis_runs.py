"""Shrinking: the smallest selection of parts that fails, each selection tried once, and an end when told so."""

from __future__ import annotations

import pytest
from hypothesis import given, seed
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from conformance.generation.hypothesis_runs import isolated, quiet, shrink
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


def _drawn() -> list[str]:
    texts: list[str] = []

    @seed(1)
    @quiet(300)
    @given(st.text())
    def test(text: str) -> None:
        texts.append(text)

    test()
    return texts


def test_nothing_is_drawn_from_the_source_code_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "_get_local_constants", lambda: Constants(strings={"hunter2"}))
    providers.CONSTANTS_CACHE.cache.clear()
    usual = _drawn()
    assert "hunter2" in usual, "hypothesis draws what stands in local modules"
    with isolated():
        alone = _drawn()
    assert "hunter2" not in alone
    assert _drawn() == usual, "afterwards, it is as it was"
    providers.CONSTANTS_CACHE.cache.clear()


def test_another_version_of_hypothesis_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(providers, "_get_local_constants")
    with isolated():
        pass
