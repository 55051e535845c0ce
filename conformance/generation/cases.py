"""Cases that schemathesis generates from the OpenAPI document: valid and invalid bodies, and identifiers."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

import httpx

from conformance.model.exchange import Exchange, Operation
from conformance.schema.documents import bundled

if TYPE_CHECKING:
    from schemathesis import Case
    from schemathesis.schemas import APIOperation, BaseSchema

LONGEST: Final = 300
"""Characters of the longest body that is sent."""

OPERATIONS: Final = {
    Operation.CREATE: ("POST", "/requests"),
    Operation.READ: ("GET", "/requests/{requestId}"),
    Operation.DELETE: ("DELETE", "/requests/{requestId}"),
    Operation.SETTINGS: ("GET", "/settings"),
    Operation.DATA: ("GET", "/data"),
    Operation.DATA_ME: ("GET", "/data/me"),
}
"""Method and path of each operation in the OpenAPI document."""


@dataclass(frozen=True)
class Drawn:
    """The cases of schemathesis, without repetition."""

    lists: tuple[tuple[str, ...], ...]
    """Valid bodies."""
    other_json: tuple[bytes, ...]
    malformed: tuple[bytes, ...]
    identifiers: tuple[str, ...]
    """Percent-encoded."""


@cache
def schema() -> BaseSchema:
    """Return the OpenAPI document as schemathesis loads it; the imports take half a second, once per process."""
    import schemathesis

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = schemathesis.openapi.from_dict(bundled())
    loaded.config.generation.with_security_parameters = False  # the session adds the token
    loaded.config.generation.codec = None  # all of Unicode; finding out what a codec can write takes seconds
    return loaded


def operation(name: Operation) -> APIOperation[Any, Any, Any, Any]:
    """Return an operation of the OpenAPI document."""
    method, path = OPERATIONS[name]
    return schema()[path][method]


@lru_cache(maxsize=4)
def draw(seed: int, count: int) -> Drawn:
    """Return `count` cases of each kind."""
    from schemathesis import GenerationMode

    lists = _cases(Operation.CREATE, GenerationMode.POSITIVE, seed, 2 * count)
    wrong = _cases(Operation.CREATE, GenerationMode.NEGATIVE, seed, 3 * count)
    reads = _cases(Operation.READ, GenerationMode.POSITIVE, seed, 2 * count)
    written = [each.body if isinstance(each.body, bytes) else json.dumps(each.body).encode() for each in wrong]
    short = [each for each in dict.fromkeys(written) if len(each) <= LONGEST and not _is_list_of_strings(each)]
    return Drawn(
        lists=tuple(dict.fromkeys(tuple(map(str, each.body)) for each in lists if isinstance(each.body, list))),
        other_json=tuple(each for each in short if _is_json(each)),
        malformed=tuple(each for each in short if not _is_json(each)),
        identifiers=tuple(dict.fromkeys(each.path_parameters["requestId"] for each in reads)),
    )


def _cases(name: Operation, mode: Any, seed: int, count: int) -> list[Case[Any]]:
    from hypothesis import given
    from hypothesis import seed as seeded
    from hypothesis.errors import Flaky

    from conformance.generation.hypothesis_runs import homeless, quiet

    cases: list[Case[Any]] = []

    @seeded(seed)
    @quiet(count)
    @given(operation(name).as_strategy(generation_mode=mode))
    def collect(case: Case[Any]) -> None:
        if (
            case.body is None
            or isinstance(case.body, bool | bytes | str | int | float | list | dict)
            or name is not Operation.CREATE
        ):
            cases.append(case)

    with homeless(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            collect()
        except (RuntimeError, Flaky):
            # Hypothesis iterates over sys.modules; another thread imported a module meanwhile. The seed is the same.
            cases.clear()
            collect()
    return cases


def is_server_error(case: Case[Any], exchange: Exchange) -> bool:
    """Tell whether schemathesis' validation reports the answer to a case as a server error."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.core.failures import FailureGroup

    answer = exchange.response
    if answer is None:
        return False
    request = httpx.Request(exchange.request.method, exchange.request.url)
    response = httpx.Response(answer.status, request=request)
    response.elapsed = timedelta(0)
    try:
        case.validate_response(response, checks=[not_a_server_error])
    except FailureGroup:
        return True
    return False


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _is_list_of_strings(body: bytes) -> bool:
    value = json.loads(body) if _is_json(body) else None
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
