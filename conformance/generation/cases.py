"""The cases of schemathesis: what it generates from the OpenAPI document for one operation, in one mode."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlencode

from conformance.generation.call import GeneratedCall
from conformance.generation.document import schema
from conformance.generation.shortest import SearchEnded
from conformance.model.exchange import OPERATIONS, Operation

if TYPE_CHECKING:
    from schemathesis import Case

LONGEST: Final = 2_000
"""Bytes of the longest body that is sent."""

_LONGEST_PART: Final = 200
"""Characters of the longest identifier, query or header that is sent."""

POSITIVE: Final = "positive"
NEGATIVE: Final = "negative"

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What schemathesis generates for one operation in one mode; everything follows from the seed and the target."""

    operation: Operation
    mode: str
    count: int
    """Different calls that are sent."""
    seed: int
    types: tuple[str, ...]
    languages: tuple[str, ...]
    is_over: Callable[[str], bool] = field(default=lambda _: False, compare=False)
    """Tells whether the time of the run is over for the search of a name, which ends it."""

    @property
    def name(self) -> str:
        """The name in the record."""
        return f"schemathesis: {self.operation}, {self.mode}"

    def calls(self) -> tuple[GeneratedCall, ...]:
        """Return the calls, without repetition.

        Raises SearchEnded where the time of the run ends first: a part of the calls would depend on the machine.
        """
        return _drawn(self)


@lru_cache(maxsize=64)
def _drawn(search: Search) -> tuple[GeneratedCall, ...]:
    found: dict[GeneratedCall, None] = {}

    def keep(call: GeneratedCall) -> None:
        if search.is_over(search.name):
            raise SearchEnded
        found[call] = None
        if len(found) == search.count:
            raise _Enough

    with suppress(_Enough):
        _visit(search, keep)
    return tuple(found)


class _Enough(SearchEnded):
    """Tells hypothesis that no further call would be sent."""


def _visit(search: Search, visit: Callable[[GeneratedCall], None]) -> None:
    """Call `visit` with each generated call that can be sent; it may raise an exception to end the search."""
    from hypothesis import given
    from hypothesis import seed as seeded
    from hypothesis.errors import Unsatisfiable
    from schemathesis import GenerationMode

    from conformance.generation.hypothesis_runs import isolated, quiet

    mode = GenerationMode.POSITIVE if search.mode == POSITIVE else GenerationMode.NEGATIVE
    method, path = OPERATIONS[search.operation]
    strategy = schema(search.types, search.languages)[path][method].as_strategy(generation_mode=mode)

    # Every second case or so repeats another one.
    @seeded(Random(f"{search.seed}/{search.name}").getrandbits(64))
    @quiet(2 * search.count)
    @given(strategy)
    def generate(case: Case[Any]) -> None:
        if (call := call_of(case, search.operation, search.mode)) is not None:
            visit(call)

    with isolated(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            generate()
        except Unsatisfiable:  # nothing of this kind can be generated
            return


def call_of(case: Case[Any], operation: Operation, mode: str) -> GeneratedCall | None:
    """Return a case of schemathesis as a call, None if it cannot be sent safely or is no call of the operation."""
    sent = case.as_transport_kwargs(base_url=NOWHERE)
    address = sent["url"].removeprefix(NOWHERE)
    segment = address.removeprefix("/requests/") if "{" in OPERATIONS[operation][1] else ""
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
    return GeneratedCall(
        operation,
        mode=mode,
        content=content,
        media_type=None if content is None else "application/json",
        segment=segment,
        headers=headers,
        query=query,
    )


def _body(sent: dict[str, Any]) -> bytes | None:
    if sent.get("json") is not None:
        return json.dumps(sent["json"], allow_nan=False).encode()
    data = sent.get("data")
    if data is None or isinstance(data, bytes):
        return data
    return data.encode() if isinstance(data, str) else json.dumps(data).encode()


def _fits(content: bytes | None, segment: str, query: str) -> bool:
    return len(content or b"") <= LONGEST and len(segment) <= _LONGEST_PART and len(query) <= _LONGEST_PART


def _is_harmless(header: tuple[str, str]) -> bool:
    name, value = header
    if not isinstance(value, str) or _RESERVED.fullmatch(name) or not _FIELD_NAME.fullmatch(name):
        return False
    return len(value) <= _LONGEST_PART and _FIELD_VALUE.fullmatch(value) is not None
