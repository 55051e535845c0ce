"""Hypothesis settings for a run: what is drawn depends on the seed alone, and nothing is written or printed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, Phase, Verbosity, configuration, settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

_BACKEND = "seed alone"


class _SeedAlone(HypothesisProvider):
    """A hypothesis backend that draws by the seed alone.

    The usual backend mixes in constants of the source files that it finds loaded, unless they are installed packages. A
    checkout and a wheel would then send different calls, and reading the sources takes longer than sending the calls.
    """

    def _maybe_draw_constant(self, *_: object, **__: object) -> None:
        return None


AVAILABLE_PROVIDERS[_BACKEND] = _SeedAlone


def quiet(examples: int, *, steps: int = 50, shrink: bool = False) -> settings:
    """Return settings for `examples` test cases of at most `steps` steps each."""
    return settings(
        backend=_BACKEND,
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
def homeless() -> Iterator[None]:
    """Keep hypothesis from writing caches into the current directory: its storage directory cannot be created."""
    before = configuration.storage_directory("x", intent_to_write=False).home_directory
    configuration.set_hypothesis_home_dir(Path(os.devnull) / "hypothesis")
    try:
        yield
    finally:
        configuration.set_hypothesis_home_dir(before)
