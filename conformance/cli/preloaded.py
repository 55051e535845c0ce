"""What each run of an audit loads, and computes without its target. A process that imports this module forks such runs.

Nothing here depends on a run, and no chance is involved: a run sends and decides the same without it.
"""

from __future__ import annotations

import gc
from contextlib import suppress
from importlib import import_module
from typing import Final

from conformance.runner.items import CHECKS

_OF_THE_SUITE: Final = (
    *("conformance.cli.baseline", "conformance.cli.checked_run", "conformance.cli.verify", "conformance.runner.run"),
    *("conformance.pytest_plugin.plain_run", "conformance.http.wire.transport", "conformance.http.renewed_tokens"),
    *("conformance.http.creations.remains", "conformance.generation.hypothesis_runs"),
    *("conformance.generation.machine", "hypothesis.stateful", "jsonschema", "msgspec.json", "schemathesis"),
    *(f"conformance.checks.{path.stem}" for path in CHECKS.glob("test_*.py")),
)
_OF_SCHEMATHESIS: Final = (
    *("specs.openapi._hypothesis", "specs.openapi.adapter.v3_1", "specs.openapi.checks", "specs.openapi.schemas"),
    *("specs.openapi.stateful", "specs.openapi.negative", "specs.openapi.coverage", "specs.openapi.examples"),
    *("transport.asgi", "transport.requests", "transport.wsgi", "engine.recorder", "engine.errors"),
    *("generation.stateful.state_machine", "openapi.checks", "openapi.generation", "generation.body_overrides"),
    "python._constants.orchestrator",
)
"""What it loads when it is used. Another version may have other names."""


def _load() -> None:
    for name in _OF_THE_SUITE:
        import_module(name)
    for name in _OF_SCHEMATHESIS:
        with suppress(ImportError):
            import_module(f"schemathesis.{name}")


def _compute() -> None:
    from conformance.cli import command_group
    from conformance.generation.hypothesis_runs import isolated
    from conformance.http.secrets.own_words import own_words
    from conformance.identifiers.javascript import drawn_by_v8
    from conformance.model.build import build
    from conformance.model.requirements import catalogue
    from conformance.reports.pages import load_templates
    from conformance.runner.environment import environment

    drawn_by_v8((1, 2))  # any two numbers: what it keeps depends on none
    for each in (command_group, own_words, build, catalogue, environment, load_templates):
        each()
    with suppress(ImportError), isolated():
        from hypothesis.internal.charmap import charmap

        charmap()
        import_module("hypothesis.strategies._internal.random")


_load()
_compute()
gc.collect()
gc.freeze()  # a fork that collects garbage neither looks at all this nor copies the memory
