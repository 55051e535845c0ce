"""What hypothesis draws follows from the seed, and a time limit of the user's own pytest ends it."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import given, seed
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from platforms import POSIX_SIGNALS

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


@pytest.fixture
def limit() -> Iterator[None]:
    def over(*_: object) -> None:
        pytest.fail("Timeout (>1.0s)")

    usual = signal.signal(signal.SIGALRM, over)
    yield
    assert signal.getsignal(signal.SIGALRM) is over
    signal.signal(signal.SIGALRM, usual)


@POSIX_SIGNALS
@pytest.mark.parametrize("place", ["in a call", "where hypothesis draws"])
@pytest.mark.usefixtures("limit")
def test_a_time_limit_of_the_user_ends_the_search_and_is_raised(place: str) -> None:
    tried: list[int] = []

    def drawn(number: int) -> int:
        if place != "in a call":
            signal.raise_signal(signal.SIGALRM)
        return number

    @quiet(3, shrink=True)
    @given(st.integers().map(drawn))
    def test(number: int) -> None:
        tried.append(number)
        signal.raise_signal(signal.SIGALRM)

    def ended() -> None:
        with isolated():
            try:
                test()
            except BaseException:
                raise IndexError("half changed") from None

    with pytest.raises(pytest.fail.Exception, match="Timeout"):
        ended()
    assert len(tried) == (place == "in a call")
