"""Making an example smaller: boldest first, nothing twice, and never more than is allowed."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model.errors import NotDecided
from conformance.search.smallest import Allowance, smallest


def parts(text: str) -> Iterator[str]:
    half = len(text) // 2
    yield from (each for each in (text[:half], text[half:], text[1:], text[:-1]) if each)


def found(text: str, *, allowed: int = 100) -> tuple[str, list[str]]:
    tried: list[str] = []
    allowance = Allowance(allowed)

    def prove(candidate: str) -> str | None:
        tried.append(candidate)
        return "shown" if "x" in candidate else None

    least, proof = smallest(text, "shown", parts, prove, lambda _: allowance.spend(1))
    assert proof == "shown"
    return least, tried


def test_the_smallest_is_found_and_nothing_is_tried_twice() -> None:
    least, tried = found("abcdxefgh" * 3)

    assert least == "x"
    assert len(tried) == len(set(tried)) < 15


def test_when_nothing_may_be_spent_any_more_the_smallest_so_far_counts() -> None:
    least, tried = found("abcdxefgh", allowed=2)

    assert len(tried) == 2
    assert "x" in least
    assert found("abcdxefgh", allowed=0) == ("abcdxefgh", [])


def test_when_the_target_cannot_be_asked_any_more_the_smallest_so_far_counts() -> None:
    def prove(candidate: str) -> str | None:
        if len(candidate) < 5:
            raise NotDecided("gone")
        return "shown"

    assert smallest("abcdefghij", "shown", parts, prove, lambda _: True) == ("abcde", "shown")
