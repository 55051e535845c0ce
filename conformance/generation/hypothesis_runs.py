"""Hypothesis as a run uses it: deterministic by the seed, and without files and output."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, Verbosity, configuration, settings

from conformance.model.user_folders import cache_folder

if TYPE_CHECKING:
    from hypothesis.internal.cache import LRUCache


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

    It writes nothing into the current directory: its table of Unicode is in the cache folder of the user. Neither does
    it draw the numbers and texts that stand in the code around it, such as that of the user's own tests. They would be
    sent, and written into the evidence, and the same seed would send something else in each installation.
    """
    configuration.set_hypothesis_home_dir(cache_folder("hypothesis") or Path(os.devnull) / "hypothesis")
    _set_aside_what_is_loaded()
    try:
        with _without_code_of_modules():
            yield
    finally:
        configuration.set_hypothesis_home_dir(None)  # the usual one again


@cache
def _set_aside_what_is_loaded() -> None:
    """Exclude the loaded objects from garbage collection: each search collects, and looking at all takes a tenth more.

    Only once: what is garbage at that moment stays.
    """
    gc.freeze()


@contextmanager
def _without_code_of_modules() -> Iterator[None]:
    """Hide the constants of loaded modules, and the source of lambdas, which takes long to find and is never printed.

    Hypothesis has no setting for it, and another version has other names.
    """
    try:
        from hypothesis.internal import lambda_sources
        from hypothesis.internal.conjecture import providers
        from hypothesis.internal.constants_ast import Constants

        usual, shared, own = providers._get_local_constants, providers.CONSTANTS_CACHE, _own_constants()
        source_of = lambda_sources.lambda_description
    except (ImportError, AttributeError):
        yield
        return
    # The shared one holds those that tests of the user have drawn from.
    providers._get_local_constants, providers.CONSTANTS_CACHE = Constants, own
    lambda_sources.lambda_description = str
    try:
        yield
    finally:
        providers._get_local_constants, providers.CONSTANTS_CACHE = usual, shared
        lambda_sources.lambda_description = source_of


@cache
def _own_constants() -> LRUCache[Any, Any]:
    """Return a store for the constants that may be drawn, which lasts for all searches of this program."""
    from hypothesis.internal.cache import LRUCache

    return LRUCache(1024)
