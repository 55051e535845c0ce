"""The condition that separates the calls that show a failure from those that do not.

"Only without a body", "only where a type is not ASCII": it tells a developer where to look, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from conformance.facts.due import due
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.text import in_json
from conformance.model.verdict import Verdict

_SAME_BODY: Final = frozenset(["4.1-body-omitted", "4.1-requested-types"])
"""Requirements about one kind of body, which is therefore no condition."""

_FEWEST: Final = 2
"""Calls without the violation that a condition needs."""

_IN_TURN: Final = 2
"""Changes between 200 and 404 after which the answers of one call are said to alternate."""


def condition_of(report: Report, exchanges: Sequence[Exchange], row: RequirementResult) -> str:
    """Return a sentence if a condition separates the failing calls of a requirement from all others, or ""."""
    named, any_failing = _failing(row), {each for one in report.requirements for each in _failing(one)}
    failing = [each for each in exchanges if each.id in named]
    alike = _alike(exchanges, failing, same_body=row.id in _SAME_BODY)
    passing = [each for each in alike if each.id not in any_failing]
    return alternation(failing, exchanges) or condition(failing, passing)


def _failing(row: RequirementResult) -> set[str]:
    """Return the ids of the exchanges that show a failure of a requirement."""
    broken = (each for each in row.findings if each.verdict in (Verdict.FAIL, Verdict.WARN))
    return {exchange for each in broken for exchange in each.exchanges}


def condition(failing: Sequence[Exchange], passing: Sequence[Exchange]) -> str:
    """Return the simplest condition that all `failing` calls and no `passing` ones meet, with both numbers; or ""."""
    if not failing or len(passing) < _FEWEST:
        return ""
    shared = set[str].intersection(*(set(_traits(each)) for each in failing))
    others = {trait for each in passing for trait in _traits(each)}
    if len(failing) == 1:
        others |= set(_listed(failing[0]))
    for words in _traits(failing[0]):
        if words in shared - others:
            such = "one such call" if len(failing) == 1 else f"all {len(failing):,} such calls"
            return f"Only {words}: {such}, and none of {len(passing):,} others."
    return ""


def alternation(failing: Sequence[Exchange], exchanges: Iterable[Exchange]) -> str:
    """Say that the same GET found and missed a request in turn, before anything deleted it; or ""."""
    own = (each for each in failing if each.request.credential in KNOWN_CREDENTIALS)
    ids = {each.request_id for each in own if each.operation in (Operation.READ, Operation.DELETE)}
    statuses: dict[tuple[str, str], list[int]] = {}
    for each in exchanges:
        if each.operation is Operation.READ and each.response is not None and each.intent.request == "existing":
            asked = (each.request_id, each.request.credential)
            if asked[0] in ids and asked[1] in KNOWN_CREDENTIALS and not each.intent.racing:
                statuses.setdefault(asked, []).append(each.response.status)
    for seen in statuses.values():
        changes = sum(one != other for one, other in pairwise(seen))
        if changes >= _IN_TURN and set(seen) == {200, 404}:
            return "The same GET answered 200 and 404 in turn: several instances without a common store?"
    return ""


def _alike(exchanges: Sequence[Exchange], failing: Sequence[Exchange], *, same_body: bool) -> Iterator[Exchange]:
    """Yield the answered calls of the same operations and meanings; with `same_body`, a meaning includes the body."""
    kinds = {_kind(each, same_body) for each in failing}
    for each in exchanges:
        answer = each.response
        if answer is None or not each.counts or each.intent.open or each.intent.racing:
            continue
        if _kind(each, same_body) in kinds and (answer.status < 300 or (due(each).status or 0) >= 400):
            yield each


def _kind(exchange: Exchange, same_body: bool) -> tuple[object, ...]:
    """Return the operation and the meaning of a call; a body may be omitted where types may be named."""
    intent = exchange.intent
    body = "known types" if intent.body == "omitted" and not same_body else intent.body
    return exchange.operation, intent.request, body, exchange.request.credential in KNOWN_CREDENTIALS


def _traits(call: Exchange) -> Iterator[str]:
    """Yield what distinguishes a call, in words, the simplest first."""
    types, body = call.intent.types or (), call.request.body
    if call.operation is Operation.CREATE:
        yield "with a body" if body else "without a body"
        if any(not one.isascii() for one in types):
            yield "where a type is not ASCII"
        if types:
            yield "with one type" if len(types) == 1 else "with several types"
    yield from _headers(call, "Transfer-Encoding", "Expect")
    credential = call.request.credential
    yield f"with the token of the {credential}" if credential in KNOWN_CREDENTIALS else f"with {credential}"
    yield from _headers(call, "Content-Type", "Accept", "Accept-Language", "Accept-Encoding")
    if call.request.pieces > 1:
        yield "where the body is sent in pieces"
        if not body.isascii():
            yield "where two pieces of a body share a letter that is not ASCII"
    if all(name.islower() for name, _ in call.request.headers):
        yield "with header names in small letters"
    yield from _listed(call)


def _headers(call: Exchange, *names: str) -> Iterator[str]:
    for name in names:
        value = header(call.request.headers, name)
        yield from [f"without {name}"] if value is None else [f"with {name}: {value}", f"with {name}"]


def _listed(call: Exchange) -> Iterator[str]:
    for name in call.intent.types or () if call.intent.body == "known types" else ():
        yield f"where the body lists {in_json(name, 60)}"
