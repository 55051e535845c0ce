"""The smallest generated call that violates a requirement: hypothesis shrinks what schemathesis generated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from conformance.client.user import UserClient
from conformance.generation.call import GeneratedCall
from conformance.generation.cases import Search
from conformance.generation.classification import classified
from conformance.generation.generated import Generated, generated
from conformance.generation.meaning import Vocabulary
from conformance.generation.model import SequenceEnded
from conformance.model.errors import NotDecided, describe
from conformance.model.exchange import Exchange
from conformance.model.probe import Probe
from conformance.rules.expect import received
from conformance.rules.judge import judge
from conformance.rules.run import Run
from conformance.rules.run_context import RunContext
from conformance.rules.server_errors import now_and_then
from conformance.scenarios.registry import scenario
from conformance.schema.violations import Violation

Fault = Callable[[Exchange], Violation | None]
Shown = tuple[GeneratedCall, Exchange, Violation]

_REPEATED: Final = 300
"""How often shrinking may come back to calls that were sent before, which takes computing time."""

_SMALLER: Final = (
    *("7-not-found", "7-not-found-error", "7-not-found-message"),
    *("7-invalid-data-types", "7-invalid-data-types-error", "7-invalid-data-types-message"),
    "4.1-requested-types",
)
"""The requirements whose first failing call is made smaller."""

SERVER_ERRORS: Final = "0-server-errors"


@scenario(calls=0)
def smaller_calls(service: UserClient) -> None:
    """Makes the first failing call of each requirement smaller."""
    found = generated.result(service)
    for requirement in _SMALLER:
        fault = violates(service, found, requirement)
        if failing := list(_failing(found.asked, fault)):
            _shrink(found, service, fault, failing)
            service.session.clean_up()


@scenario(calls=0)
def smaller_server_errors(service: UserClient) -> None:
    """Makes the first call that a server error answers each time smaller."""
    found, passing = generated.result(service), now_and_then(service.record.in_order())

    def fault(exchange: Exchange) -> Violation | None:
        return None if exchange.id in passing else server_error(exchange)

    if failing := list(_failing(found.asked, fault)):
        _shrink(found, service, fault, failing)


def violates(run: Run, found: Generated, requirement: str) -> Fault:
    """Return a predicate: does an exchange violate one requirement by itself? Each is judged once for all of them."""
    known, judged = RunContext(types=run.ever_listed), found.judged

    def fault(exchange: Exchange) -> Violation | None:
        if (key := (known.types, exchange.id)) not in judged:
            judged[key] = judge(exchange, known).violations
        return next((each for each in judged[key] if each.requirement == requirement), None)

    return fault


def server_error(exchange: Exchange) -> Violation | None:
    """Return the violation if the response is a server error, and not one that asks the client to retry later."""
    answer = exchange.response
    if answer is None or exchange.error is not None or answer.status < 500 or answer.status in (501, 505, 511):
        return None
    return Violation(
        SERVER_ERRORS,
        "",
        f"{describe(exchange)} answered {answer.status}, a server error.",
        "a status below 500",
        received(exchange),
        Probe(kind="other-status", values=("5xx",)),
    )


def assert_not_violated(found: Generated, fault: Fault) -> None:
    """Raise RequirementViolated with the smallest generated call that violates a requirement."""
    failing = list(_failing(found.asked, fault))
    if failing:
        call, exchange, violation = min([*failing, *_failing(found.smaller, fault)], key=_size)
        message = f"{violation.message.partition(' The call: ')[0]} The smallest call that shows it: {call.in_words}."
        first = failing[0][1]
        raise replace(violation, message=message).shown_by([exchange] if exchange is first else [exchange, first])


def _size(shown: Shown) -> tuple[int, int]:
    return shown[0].size


def _failing(asked: Iterable[tuple[GeneratedCall, Exchange]], fault: Fault) -> Iterable[Shown]:
    for call, exchange in asked:
        if (violation := fault(exchange)) is not None:
            yield call, exchange, violation


def _shrink(found: Generated, service: UserClient, fault: Fault, failing: list[Shown]) -> None:
    """Let hypothesis shrink the first failing call of schemathesis; `found.smaller` has the calls that it sends."""
    search = next((search for each in failing if (search := found.searches.get(each[1].id))), None)
    if search is None:
        return
    vocabulary = Vocabulary.of(service.types())
    answers = _answers(found, search)
    shrunk: list[tuple[GeneratedCall, Exchange]] = []

    def put(raw: GeneratedCall) -> Exchange:
        call = classified(raw, vocabulary)
        found.spare -= 1
        answers[raw] = exchange = call.send(service)
        shrunk.append((call, exchange))
        found.searches[exchange.id] = search
        return exchange

    repeated = iter(range(_REPEATED))

    def fails(raw: GeneratedCall) -> bool:
        if raw not in answers:
            if found.spare <= 0:
                raise SequenceEnded
            try:
                put(raw)
            except NotDecided:
                raise SequenceEnded from None
        elif next(repeated, None) is None:
            raise SequenceEnded
        return fault(answers[raw]) is not None

    search.shrink(fails)
    found.smaller += shrunk


def _answers(found: Generated, search: Search) -> dict[GeneratedCall, Exchange]:
    """Return the answers to the calls of a search, by the calls as schemathesis generated them."""
    own = ((call, each) for call, each in (*found.asked, *found.smaller) if found.searches.get(each.id) == search)
    return {GeneratedCall.from_json(call.as_json()): each for call, each in own}
