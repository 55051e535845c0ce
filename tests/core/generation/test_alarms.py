"""A time limit of the user's own pytest, which raises `pytest.fail` out of an alarm, ends what hypothesis does."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platforms import POSIX_SIGNALS

from conformance.generation.hypothesis_runs import isolated, quiet

pytestmark = POSIX_SIGNALS


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    def over(*_: object) -> None:
        pytest.fail("Timeout (>1.0s)")

    usual = signal.signal(signal.SIGALRM, over)
    yield
    assert signal.getsignal(signal.SIGALRM) is over
    signal.signal(signal.SIGALRM, usual)


def test_in_a_call_it_is_no_failure_to_repeat() -> None:
    tried: list[int] = []

    @quiet(3, shrink=True)
    @given(st.integers())
    def test(number: int) -> None:
        tried.append(number)
        signal.raise_signal(signal.SIGALRM)

    with pytest.raises(pytest.fail.Exception, match="Timeout"), isolated():
        test()
    assert len(tried) == 1


def test_where_hypothesis_draws_it_is_raised_in_place_of_what_follows_from_it() -> None:
    def drawn(number: int) -> int:
        signal.raise_signal(signal.SIGALRM)
        return number

    @quiet(3)
    @given(st.integers().map(drawn))
    def test(_number: int) -> None:
        raise AssertionError("expected no test case")

    def ended() -> None:
        with isolated():
            try:
                test()
            except BaseException:
                raise IndexError("half changed") from None

    with pytest.raises(pytest.fail.Exception, match="Timeout"):
        ended()
