"""The cases of schemathesis: what it generates from the OpenAPI document for one operation, in one mode.

It reads the document for one target: with its data types, and with what a client may add.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, Final
from unittest import SkipTest
from urllib.parse import unquote, urlencode

from conformance.generation.call import GeneratedCall
from conformance.generation.meaning import HARMLESS
from conformance.model.errors import NotDecided
from conformance.model.exchange import Operation
from conformance.scenarios.api import MOST_TYPES, Api
from conformance.schema.documents import bundled

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy
    from schemathesis import Case
    from schemathesis.schemas import BaseSchema


OF_USERS: Final = {
    Operation.CREATE: (14, 6),
    Operation.READ: (2, 3),
    Operation.DELETE: (3, 2),
    Operation.DATA_ME: (2, 1),
}
"""Different calls with a token, positive and negative; a thorough run sends ten times as many."""

OF_THE_PUBLIC: Final = {
    Operation.SETTINGS: (2, 2),
    Operation.DATA: (2, 2),
    Operation.DATA_ME: (2, 2),
}
"""Different calls without a token."""

MODES: Final = ("positive", "negative")
"""Whether a case follows the OpenAPI document or breaks it, in the words of schemathesis."""

NOWHERE: Final = "http://service.invalid"
"""The base address for schemathesis, which changes the writing of others, such as capitals in the host."""

_RESERVED: Final = re.compile(
    "authorization|proxy-.*|host|content-.*|transfer-encoding|te|trailer|upgrade|connection|keep-alive|expect|cookie|"
    "user-agent|accept-encoding|if-.*|range|x-http-method.*|x-method-.*|x-forwarded-.*|forwarded",
    re.IGNORECASE,
)
"""Headers that change the call itself or what carries it, and so the operation that is called."""

_FIELD_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD_VALUE: Final = re.compile(r"[!-~]([ -~]*[!-~])?|")

_STANDS_FOR_ONE: Final = re.compile(r"(?:[^\W_]|[. -])+")
"""An identifier that no careless service takes for several requests: only such ones are deleted, so none with "_"."""


class SearchEnded(SkipTest):
    """Ends a search of hypothesis at once: hypothesis does not repeat a skipped test."""

    def __init__(self) -> None:
        super().__init__("there was enough")


def drawn(service: Api, counts: Mapping[Operation, tuple[int, int]]) -> list[GeneratedCall]:
    """Return the calls to some operations, which follow from the seed and the target; each is another one.

    Raises NotDecided where the time of the run is over.
    """
    session, types = service.session, list[str]()
    with suppress(NotDecided):
        types = service.some_types()
    found: list[GeneratedCall] = []
    for operation, numbers in counts.items() if session.without != "schemathesis" else ():
        for mode, number in zip(MODES, numbers, strict=True):
            if session.clock.is_over():
                raise session.clock.undecided()
            count = number * session.target.budget.times
            found += cases(operation, mode, count, session.seed, sendable(types), tuple(service.tags()))
    return found


def sendable(types: Sequence[str]) -> tuple[str, ...]:
    """Return the types that schemathesis can hold: a name that was cut in a surrogate pair has no UTF-8."""
    return tuple(each for each in types if each == each.encode(errors="replace").decode())


@lru_cache(maxsize=64)
def cases(
    operation: Operation,
    mode: str,
    count: int,
    seed: int,
    types: tuple[str, ...],
    languages: tuple[str, ...],
) -> tuple[GeneratedCall, ...]:
    """Return at most `count` different calls to an operation in one mode."""
    from hypothesis import given
    from hypothesis import seed as seeded
    from hypothesis.errors import Unsatisfiable
    from schemathesis import GenerationMode

    from conformance.generation.hypothesis_runs import isolated, quiet

    found: dict[GeneratedCall, None] = {}
    described = schema(types, languages)[operation.path][operation.method]

    def keep(case: Case[Any]) -> None:
        if (call := call_of(case, operation)) is not None:
            found[call] = None
            if len(found) == count:
                raise SearchEnded

    # Unsatisfiable: nothing of this kind can be generated.
    with isolated(), warnings.catch_warnings(), suppress(SearchEnded, Unsatisfiable):
        warnings.simplefilter("ignore")
        generate = given(described.as_strategy(generation_mode=GenerationMode(mode)))(keep)
        run = seeded(Random(f"{seed}/schemathesis: {operation}, {mode}").getrandbits(64))
        run(quiet(2 * count)(generate))()  # every second case or so repeats another one
    return tuple(found)


def call_of(case: Case[Any], operation: Operation) -> GeneratedCall | None:
    """Return a case of schemathesis as a call, None if it cannot be sent safely or is no call of the operation."""
    sent = case.as_transport_kwargs(base_url=NOWHERE)
    address = sent["url"].removeprefix(NOWHERE)
    segment = address.removeprefix("/requests/") if "{" in operation.path else ""
    try:
        query = urlencode(dict(case.query or {}), doseq=True)
        content = _body(sent)
    except (UnicodeEncodeError, ValueError, TypeError, RecursionError):
        return None
    headers = tuple(dict(case.headers or {}).items())
    headers = tuple((name, value) for name, value in headers if name.lower() != "content-type")
    if not (_fits(content, segment, query) and all(map(_is_harmless, headers))):
        return None
    if operation is Operation.DELETE and not _STANDS_FOR_ONE.fullmatch(unquote(segment, errors="replace")):
        return None
    if segment and unquote(segment, errors="replace").strip("/.") == "":
        return None
    return GeneratedCall(operation, content=content, segment=segment, headers=headers, query=query)


def _body(sent: dict[str, Any]) -> bytes | None:
    if sent.get("json") is not None:
        return json.dumps(sent["json"], allow_nan=False).encode()
    data = sent.get("data")
    if data is None or isinstance(data, bytes):
        return data
    return data.encode() if isinstance(data, str) else json.dumps(data).encode()


def _fits(content: bytes | None, segment: str, query: str) -> bool:
    return len(content or b"") <= MOST_TYPES * HARMLESS and len(segment) <= HARMLESS and len(query) <= HARMLESS


def _is_harmless(header: tuple[str, str]) -> bool:
    name, value = header
    if not isinstance(value, str) or _RESERVED.fullmatch(name) or not _FIELD_NAME.fullmatch(name):
        return False
    return len(value) <= HARMLESS and _FIELD_VALUE.fullmatch(value) is not None


_HOOKS: Final = "SCHEMATHESIS_HOOKS"
_PUBLIC: Final = ("/settings", "/data", "/data/me")
_SYMBOLS: Final = "()[]{}|;'"
"""Characters with a meaning in templates, patterns and queries."""


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
    word = st.text(letters, min_size=1, max_size=HARMLESS)
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
