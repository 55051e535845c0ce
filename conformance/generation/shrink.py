"""Shrinking by hypothesis: which parts of a failing call or sequence are needed to see it fail."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from typing import Final, TypeVar
from unittest import SkipTest

from hypothesis import given
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from conformance.generation.seeded import homeless, quiet

_Part = TypeVar("_Part", bound=Hashable)
_Shown = TypeVar("_Shown")

_EXAMPLES: Final = 3
_REPEATED: Final = 300
"""How often shrinking may come to what was already tried: this costs computing time."""


class Ended(SkipTest):
    """Ends hypothesis' search at once: it does not repeat a test that is skipped."""

    def __init__(self) -> None:
        super().__init__("")


class _Fails(Exception):
    """Tells hypothesis that a selection still fails."""


def shrink(
    parts: Sequence[_Part],
    fails: Callable[[tuple[int, ...]], _Shown | None],
    *,
    seed: int,
    groups: Callable[[_Part], Sequence[Hashable]] = lambda _: (),
) -> _Shown | None:
    """Return what `fails` returns for the smallest selection of parts that fails, None if not even all of them fail.

    `fails` is called with the indices of a selection; it raises `Ended` when it can try no more. Hypothesis drops all
    parts of a group before single ones.
    """
    together = list(dict.fromkeys(group for each in parts for group in groups(each)))
    kept = st.integers(0, 99).map(bool)  # in most examples everything is kept
    outcomes: dict[tuple[int, ...], _Shown | None] = {}
    repeated = iter(range(_REPEATED))

    @seeded(seed)
    @quiet(_EXAMPLES, shrink=True)
    @given(st.tuples(*[kept] * len(parts)), st.tuples(*[kept] * len(together)))
    def test(singly: tuple[bool, ...], in_groups: tuple[bool, ...]) -> None:
        dropped = {group for group, keep in zip(together, in_groups, strict=True) if not keep}
        selection = tuple(
            index for index, part in enumerate(parts) if singly[index] and dropped.isdisjoint(groups(part))
        )
        if selection not in outcomes:
            outcomes[selection] = fails(selection)
        elif next(repeated, None) is None:
            raise Ended
        if outcomes[selection] is not None:
            raise _Fails

    with homeless(), suppress(Ended, _Fails, HypothesisException):
        test()
    return min(
        ((len(each), shown) for each, shown in outcomes.items() if shown), key=lambda each: each[0], default=(0, None)
    )[1]
