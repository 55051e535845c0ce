"""What hypothesis draws follows from the seed."""

from __future__ import annotations

import pytest
from hypothesis import given, seed
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from conformance.generation.hypothesis_runs import isolated, quiet


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
