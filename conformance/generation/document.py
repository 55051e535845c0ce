"""The OpenAPI document as schemathesis reads it for one target: with its data types, and with what a client may add."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from conformance.schema.documents import bundled

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy
    from schemathesis.schemas import BaseSchema

_HOOKS: Final = "SCHEMATHESIS_HOOKS"
_PUBLIC: Final = ("/settings", "/data", "/data/me")
_SYMBOLS: Final = "()[]{}|;'"
"""Characters with a meaning in templates, patterns and queries."""

_LONGEST: Final = 12
"""Characters of the longest text that replaces or extends a type."""


@lru_cache(maxsize=8)
def schema(types: tuple[str, ...], languages: tuple[str, ...], *, only_known: bool = False) -> BaseSchema:
    """Return the document as schemathesis loads it, for a target with these data types and languages.

    Valid bodies list types of the target and, unless `only_known`, strings that are nearly types. Calls without a
    parameter may have the two that clients use to choose a language.
    """
    import schemathesis

    document = _without_examples(bundled())  # which are of another service
    body = document["paths"]["/requests"]["post"]["requestBody"]["content"]["application/json"]
    body["schema"] = {
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": {"enum": list(types)} if only_known and types else {"type": "string", "format": _format_of(types)},
    }
    for path in _PUBLIC:
        document["paths"][path]["get"]["parameters"] = _parameters(languages)
    with warnings.catch_warnings(), _without_hooks():
        warnings.simplefilter("ignore")
        loaded = schemathesis.openapi.from_dict(document, config=schemathesis.Config())  # not of the folder
    loaded.config.generation.with_security_parameters = False  # the session adds the token
    loaded.config.generation.codec = None  # all of Unicode; finding out what a codec can write takes seconds
    return loaded


@contextmanager
def _without_hooks() -> Iterator[None]:
    """Hide the variable that names a module of hooks: schemathesis would run its code, which could change the calls."""
    hooks = os.environ.pop(_HOOKS, None)
    try:
        yield
    finally:
        if hooks is not None:
            os.environ[_HOOKS] = hooks


def _without_examples(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_examples(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {name: _without_examples(each) for name, each in node.items() if name not in ("example", "examples")}


def _parameters(languages: Sequence[str]) -> list[dict[str, Any]]:
    schema = {"type": "string", "enum": list(languages)} if languages else {"type": "string", "minLength": 1}
    return [
        {"name": "Accept-Language", "in": "header", "required": False, "schema": schema},
        {"name": "lang", "in": "query", "required": False, "schema": schema},
    ]


def _format_of(types: tuple[str, ...]) -> str:
    """Return the name of a string format whose values are these types and their neighbours."""
    import schemathesis

    name = f"data-type-{hashlib.sha256(json.dumps(types).encode()).hexdigest()[:16]}"
    schemathesis.openapi.format(name, data_types(types))
    return name


def data_types(types: Sequence[str]) -> SearchStrategy[str]:
    """Return the strategy of strings for a body: known types, their neighbours, and any printable text."""
    from hypothesis import strategies as st

    # Of surrogates, controls and unassigned code points a gateway may think otherwise than the service.
    letters = st.characters(exclude_categories=("C", "Z"), exclude_characters='<>"\\')
    word = st.text(letters, min_size=1, max_size=_LONGEST)
    if not types:
        return word
    known = st.sampled_from(list(types))
    added = st.one_of(st.just(""), st.sampled_from(_SYMBOLS), st.text(letters, min_size=1, max_size=2))

    @st.composite
    def neighbour(draw: DrawFn) -> str:
        name = draw(known)
        start = draw(st.integers(0, len(name)))
        end = draw(st.integers(start, min(len(name), start + 2)))
        return name[:start] + draw(added) + name[end:]

    # Nine in ten lists of three would have an unknown type if every second string were one.
    return st.integers(0, 9).flatmap(lambda kind: known if kind < 7 else neighbour() if kind < 9 else word)
