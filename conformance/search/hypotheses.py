"""Hypothesis as a run needs it: nothing on disk, nothing printed, and nothing that depends on how long a call takes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, Phase, Verbosity, configuration, settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider


class _SeedAlone(HypothesisProvider):
    """Draws by the seed alone.

    Hypothesis mixes in constants of whatever source it finds loaded, unless it lies among installed packages: a
    checkout and a wheel would ask different questions, and reading the source takes longer than asking them.
    """

    def _maybe_draw_constant(self, *_: object, **__: object) -> None:
        return None


def quiet(*, examples: int, steps: int = 50) -> settings:
    """Return settings that generate only: what is found is made smaller elsewhere, with fewer calls."""
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
    )


@contextmanager
def by_the_seed_alone() -> Iterator[None]:
    """Let nothing but the seed decide what is drawn meanwhile."""
    before = AVAILABLE_PROVIDERS["hypothesis"]
    AVAILABLE_PROVIDERS["hypothesis"] = _SeedAlone
    try:
        yield
    finally:
        AVAILABLE_PROVIDERS["hypothesis"] = before


@contextmanager
def home() -> Iterator[None]:
    """Keep hypothesis from writing its caches into the caller's directory: it has no home in which it could."""
    before = configuration.storage_directory("x", intent_to_write=False).home_directory
    configuration.set_hypothesis_home_dir(Path(os.devnull) / "hypothesis")
    try:
        yield
    finally:
        configuration.set_hypothesis_home_dir(before)
