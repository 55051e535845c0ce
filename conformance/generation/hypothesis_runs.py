"""Hypothesis as a run uses it: deterministic by the seed, without files and output, and with its shrinking."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, configuration, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from conformance.generation.model import SequenceEnded
from conformance.http import alarms

_Part = TypeVar("_Part", bound=Hashable)
_Shown = TypeVar("_Shown")

_EXAMPLES: Final = 3
_REPEATED: Final = 300
"""How often shrinking may repeat earlier tries, which takes computing time."""


def quiet(examples: int, *, steps: int = 50, shrink: bool = False) -> settings:
    """Return settings for `examples` test cases of at most `steps` steps each."""
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        database=None,
        deadline=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
    )


@contextmanager
def isolated() -> Iterator[None]:
    """Isolate hypothesis from the folder and the program in which it runs: what it draws follows from the seed.

    What a time limit of the user's own pytest raises passes through it.

    It writes no caches into the current directory: its storage directory cannot be created. Neither does it draw the
    numbers and texts that stand in the code around it, such as that of the user's own tests. They would be sent, and
    written into the evidence, and the same seed would send something else in each installation.
    """
    configuration.set_hypothesis_home_dir(Path(os.devnull) / "hypothesis")
    try:
        with _without_constants_of_modules(), alarms.postponed(_end_at_once):
            yield
    finally:
        configuration.set_hypothesis_home_dir(None)  # the usual one again


@contextmanager
def _without_constants_of_modules() -> Iterator[None]:
    """Hide the constants of loaded modules. Hypothesis has no setting for it, and another version has other names."""
    try:
        from hypothesis.internal.conjecture import providers
        from hypothesis.internal.constants_ast import Constants

        usual, cache = providers._get_local_constants, providers.CONSTANTS_CACHE.cache
    except (ImportError, AttributeError):
        yield
        return
    providers._get_local_constants = Constants
    cache.clear()  # it holds those that tests of the user have drawn from
    try:
        yield
    finally:
        providers._get_local_constants = usual
        cache.clear()


class _Alarm(BaseException):
    """Passes through hypothesis, which catches what `pytest.fail` raises and tries to repeat it."""


def _end_at_once() -> None:
    raise _Alarm


class _Fails(Exception):
    """Tells hypothesis that a selection still fails."""


def shrink(
    parts: Sequence[_Part],
    fails: Callable[[tuple[int, ...]], _Shown | None],
    *,
    seed: int,
    groups: Callable[[_Part], Sequence[Hashable]] = lambda _: (),
) -> _Shown | None:
    """Return the result of `fails` for the smallest selection of parts that fails, None if not even all of them fail.

    `fails` receives the indices of a selection and raises `Ended` to stop. Hypothesis drops groups of parts before
    single parts.
    """
    together = list(dict.fromkeys(group for each in parts for group in groups(each)))
    kept = st.integers(0, 99).map(bool)  # most examples keep all parts
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
            raise SequenceEnded
        if outcomes[selection] is not None:
            raise _Fails

    with isolated(), suppress(SequenceEnded, _Fails, HypothesisException):
        test()
    return min(
        ((len(each), shown) for each, shown in outcomes.items() if shown), key=lambda each: each[0], default=(0, None)
    )[1]
