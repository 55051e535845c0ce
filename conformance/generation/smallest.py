"""The smallest generated call that violates a requirement: hypothesis shrinks what schemathesis generated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from conformance.client.user import UserClient, is_limit_refusal
from conformance.facts.due import due
from conformance.generation.call import GeneratedCall
from conformance.generation.cases import Search
from conformance.generation.classification import classified
from conformance.generation.generated import Generated, generated, names_one_unknown_type
from conformance.generation.meaning import Vocabulary
from conformance.generation.model import SequenceEnded
from conformance.model.errors import NotDecided, NothingToAdd, answer_of, describe, in_words, not_applicable
from conformance.model.exchange import Exchange, Intent
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

_ABOUT: Final[Mapping[str, Callable[[Intent], bool]]] = {
    "7-not-found": lambda intent: intent.request == "unknown",
    "7-invalid-data-types": names_one_unknown_type,
    "4.1-requested-types": lambda intent: intent.body == "known types",
}
"""For each requirement that a generated call has to decide: is a call with this intent about it?"""


SERVER_ERRORS: Final = "0-server-errors"


@scenario(calls=0)
def smaller_calls(service: UserClient) -> dict[str, NotDecided]:
    """Makes the first failing call of each requirement smaller.

    The result says why no answer could violate a requirement, by its id; for that it creates a request.
    """
    found, undecided = generated.result(service), dict[str, NotDecided]()
    for requirement in (each for row in _ABOUT for each in (row, f"{row}-error", f"{row}-message")):
        fault = violates(service, found, requirement)
        failing = list(_failing(found.asked, fault))
        if failing:
            _shrink(found, service, fault, failing)
        elif requirement in _ABOUT and not _telling(found, requirement) and found.undecided is None:
            undecided[requirement] = _never_decided(service, found, requirement)
        service.session.clean_up()
    return undecided


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
            judged[key] = judge(exchange, known)
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


def assert_not_violated(found: Generated, undecided: Mapping[str, NotDecided], requirement: str, fault: Fault) -> None:
    """Raise RequirementViolated with the smallest generated call that violates it, NotDecided if no call could."""
    failing = list(_failing(found.asked, fault))
    if failing:
        call, exchange, violation = min([*failing, *_failing(found.smaller, fault)], key=_size)
        message = f"{violation.message.partition(' The call: ')[0]} The smallest call that shows it: {call.in_words}."
        first = failing[0][1]
        raise replace(violation, message=message).shown_by([exchange] if exchange is first else [exchange, first])
    row = requirement.removesuffix("-error").removesuffix("-message")
    if row not in _ABOUT:
        raise NothingToAdd("No generated call violates this.")
    telling = _telling(found, row)
    if not telling:
        raise found.undecided or undecided[row]
    refusals = [answer_of(each).document.value for each in telling if due(each).row]
    if row != requirement and not any(isinstance(each, dict) for each in refusals):
        raise NotDecided("No generated call was refused as specified.", exchanges=telling[:1])


def _telling(found: Generated, row: str) -> list[Exchange]:
    return [exchange for _, exchange in found.asked if _bears_on(row, exchange, found.with_room)]


def _size(shown: Shown) -> tuple[int, int]:
    return shown[0].size


def _failing(asked: Iterable[tuple[GeneratedCall, Exchange]], fault: Fault) -> Iterable[Shown]:
    for call, exchange in asked:
        if (violation := fault(exchange)) is not None:
            yield call, exchange, violation


def _never_decided(service: UserClient, found: Generated, requirement: str) -> NotDecided:
    """Return why no answer could violate a requirement."""
    concerned = [exchange for _, exchange in found.asked if _ABOUT[requirement](exchange.intent)]
    try:
        if requirement == "4.1-requested-types" and not service.types():
            return not_applicable("no-data-types", "GET /data lists no data types.")
        service.session.remove(service.create().request_id)
        for exchange in concerned:
            answer_of(exchange)  # raises NotDecided: it got no usable response
    except NotDecided as error:
        return error
    example = f": {describe(concerned[0])} was answered {in_words(concerned[0])}" if concerned else ""
    return NotDecided(
        f"No answer to a generated call decides this requirement{example}.",
        exchanges=concerned[:1],
    )


def _bears_on(requirement: str, exchange: Exchange, with_room: str) -> bool:
    """Tell whether an answer could violate a requirement."""
    answer = exchange.response
    if answer is None or exchange.error is not None or not _ABOUT[requirement](exchange.intent):
        return False
    if requirement == "7-invalid-data-types":
        return exchange.id == with_room or not is_limit_refusal(exchange)
    return requirement != "4.1-requested-types" or answer.status == 200


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
