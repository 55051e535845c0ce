"""What each run of an audit loads, and computes without its target. A process that imports this module forks such runs.

Nothing here depends on a run, and no chance is involved: a run sends and decides the same without it.
"""

from __future__ import annotations

import gc
from importlib import import_module
from itertools import product
from typing import Final

from conformance.run.items import CHECKS

_OF_THE_SUITE: Final = (
    *("conformance.cli.baseline", "conformance.cli.checked_run", "conformance.cli.verify", "conformance.run.check"),
    *("conformance.pytest_plugin.plain_run", "conformance.http.wire.transport", "conformance.http.renewed_tokens"),
    *("conformance.http.creations.remains", "conformance.generation.hypothesis_runs"),
    *("hypothesis.stateful", "jsonschema", "msgspec.json"),
    *("schemathesis", "schemathesis.engine.errors"),
    *(f"conformance.checks.{path.stem}" for path in CHECKS.glob("test_*.py")),
)


def _load() -> None:
    for name in _OF_THE_SUITE:
        import_module(name)


def _compute() -> None:
    from conformance.cli import command_group
    from conformance.generation.cases import MODES, OF_USERS, cases
    from conformance.http.secrets.words import own_words
    from conformance.judge.identifiers.generators import drawn_by_v8
    from conformance.model.build import build
    from conformance.model.requirements import catalogue
    from conformance.reports.pages import load_templates
    from conformance.run.environment import environment

    drawn_by_v8((1, 2))  # any two numbers: what it keeps depends on none
    for each in (command_group, own_words, build, catalogue, environment, load_templates):
        each()
    # Any types: what schemathesis and hypothesis load and keep for their first calls depends on none.
    for operation, mode in product(OF_USERS, MODES):
        cases(operation, mode, 4, 0, ("a", "b"), ("en",))


_load()
_compute()
gc.collect()
gc.freeze()  # a fork that collects garbage neither looks at all this nor copies the memory
