"""The second opinion: what the checks of schemathesis find in a run, and no rule of the suite."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from conformance.client.public import PublicClient
from conformance.client.user import UserClient, accepted
from conformance.generation.call import GeneratedCall
from conformance.generation.cases import Search
from conformance.generation.document import schema
from conformance.generation.drawn import OF_THE_PUBLIC, READINGS, drawn
from conformance.generation.generated import generated
from conformance.generation.links import linked_calls
from conformance.generation.their_checks import OF_REFUSED_TOKENS, Disagreement, disagreements
from conformance.http.session import Session
from conformance.model.error_table import KNOWN_CREDENTIALS, ON_DATA_REQUESTS
from conformance.model.exchange import OPERATIONS, Exchange, request_id_of
from conformance.rules.every_exchange import losses
from conformance.rules.judge import judge
from conformance.rules.run_context import RunContext


def second_opinion(session: Session) -> list[Disagreement]:
    """Return the disagreements of a run, one for each check and operation; none for a replay, which generates nothing.

    It makes no calls.
    """
    if session.replays:
        return []
    exchanges = session.record.in_order()
    context = RunContext.of(exchanges)
    # A deletion that does not find its request is judged by all exchanges.
    lost = {each.missing.id for each in losses(exchanges)}
    found: dict[tuple[str, object], Disagreement] = {}
    linked = linked_calls.so_far(UserClient(session))
    in_series = linked.disagreements if linked else ()
    for each in chain(_of_generated_calls(session), in_series, _of_refused_tokens(exchanges)):
        exchange = each.exchange
        if not (exchange.id in lost or exchange.told or judge(exchange, context)):
            found.setdefault((each.check, exchange.operation), each)
    return list(found.values())


def _of_generated_calls(session: Session) -> Iterator[Disagreement]:
    for call, search, exchange in _generated(session):
        case = dict(search.cases()).get(GeneratedCall.from_json(call.as_json()))
        if case is not None:
            yield from disagreements(call, case, exchange)


def _generated(session: Session) -> Iterator[tuple[GeneratedCall, Search, Exchange]]:
    """Yield the calls of schemathesis, each with its search and its answer."""
    asked = generated.so_far(UserClient(session))
    if asked is not None:
        for call, exchange in asked.asked:
            if search := asked.searches.get(exchange.id):
                yield call, search, exchange
    results = session.results
    if results.settings is None or results.data_types is None:
        return
    readings = [
        each
        for each in session.record.in_order()
        if each.check == READINGS and not each.repeats and not each.redirected_from
    ]
    calls = drawn(PublicClient(session), OF_THE_PUBLIC) if readings else []
    if len(calls) == len(readings):
        for one, exchange in zip(calls, readings, strict=True):
            yield one.call, one.search, exchange


def _of_refused_tokens(exchanges: list[Exchange]) -> Iterator[Disagreement]:
    """Yield the disagreements on calls without a valid token that were accepted: no other answer can fail the check."""
    for exchange in exchanges:
        operation, known = exchange.operation, exchange.request.credential in KNOWN_CREDENTIALS
        if operation not in ON_DATA_REQUESTS or operation is None or known or not accepted(exchange):
            continue
        method, path = OPERATIONS[operation]
        identifier = request_id_of(exchange)
        case = schema((), ())[path][method].Case(path_parameters={"requestId": identifier} if identifier else {})
        yield from disagreements(GeneratedCall(operation), case, exchange, OF_REFUSED_TOKENS)
