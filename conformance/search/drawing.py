"""What schemathesis makes of the OpenAPI document: bodies, identifiers and headers, right and wrong.

A default run picks from `corpus.json`, drawn once with `python -m conformance.search.drawing`: what is drawn depends on
the versions installed and on the source files around, and takes more time than the rest of the run, while the same
seed has to ask the same questions everywhere. A thorough run draws anew.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from conformance.schema.documents import bundled

DRAWN: Final = 150
"""Calls drawn of each operation and mode for the corpus."""

LONGEST: Final = 300
"""Characters of the longest value that is kept."""

Corpus = dict[str, list[Any]]
"""By kind ("body", "wrong body", "malformed", "identifier", "headers") what was drawn, each value once."""


@cache
def corpus() -> Corpus:
    """Return what was drawn from the OpenAPI document once and for all."""
    stored: dict[str, Any] = json.loads((files("conformance.search") / "corpus.json").read_bytes())
    drawn: Corpus = stored["drawn"]
    return drawn


def digest() -> str:
    """Return what tells one OpenAPI document from another."""
    return f"sha256:{hashlib.sha256(json.dumps(bundled(), sort_keys=True).encode()).hexdigest()}"


def draw(seed: int, count: int) -> Corpus:
    """Draw `count` calls of each operation on data requests, right and wrong ones; a second of computing or two."""
    # A second of imports, which only a thorough run has to wait for.
    import hypothesis
    import schemathesis

    from conformance.search.hypotheses import home, quiet

    drawn: Corpus = {kind: [] for kind in ("body", "wrong body", "malformed", "identifier", "headers")}
    with home(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schema = schemathesis.openapi.from_dict(bundled())
        for path, method in (("/requests", "POST"), ("/requests/{requestId}", "GET")):
            for mode in schemathesis.GenerationMode:

                @hypothesis.seed(seed)
                @quiet(examples=count)
                @hypothesis.given(schema[path][method].as_strategy(generation_mode=mode))
                def collect(case: Any) -> None:
                    for kind, value in _parts(case):
                        if value not in drawn[kind] and len(json.dumps(value)) <= LONGEST:
                            drawn[kind].append(value)

                collect()
    return drawn


def _parts(case: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(case.body, bytes):
        yield "malformed", case.body.decode("latin-1")
    elif isinstance(case.body, list) and case.body and all(isinstance(each, str) for each in case.body):
        yield "body", case.body[:8]
    elif isinstance(case.body, list | dict | str | int | float) or case.body is None:
        yield "wrong body", case.body
    if identifier := (case.path_parameters or {}).get("requestId"):
        yield "identifier", identifier
    if headers := {name: value for name, value in (case.headers or {}).items() if name != "Authorization"}:
        yield "headers", headers


def _write() -> None:
    document = {"openapi": digest(), "drawn": draw(0, DRAWN)}
    lines = json.dumps(document, ensure_ascii=True, indent=1)
    (Path(__file__).parent / "corpus.json").write_text(f"{lines}\n", encoding="utf-8")


if __name__ == "__main__":
    _write()
