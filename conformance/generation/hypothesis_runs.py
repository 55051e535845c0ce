"""Hypothesis as a run uses it: deterministic by the seed, and without files and output."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, Phase, Verbosity, configuration, settings

from conformance.http import alarms


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
