"""The smallest generated call that violates a requirement: hypothesis shrinks what schemathesis generated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

from conformance.client.user import UserClient, is_limit_refusal
from conformance.generation.call import GeneratedCall
from conformance.generation.cases import Search
from conformance.generation.classification import classified
from conformance.generation.generated import Generated, names_one_unknown_type
from conformance.generation.meaning import Vocabulary
from conformance.generation.model import SequenceEnded
from conformance.model.error_table import condition_of
from conformance.model.errors import NotDecided, NothingToAdd, answer_of, describe, in_words, not_applicable
from conformance.model.exchange import Exchange, Intent
from conformance.rules.judge import judge
from conformance.rules.run_context import RunContext
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


def violates(service: UserClient, found: Generated, requirement: str) -> Fault:
    """Return a predicate: does an exchange violate one requirement by itself? Each is judged once for all of them."""
    known, judged = RunContext(types=service.session.results.every_type), found.judged

    def fault(exchange: Exchange) -> Violation | None:
        if (key := (known.types, exchange.id)) not in judged:
            judged[key] = judge(exchange, known)
        return next((each for each in judged[key] if each.requirement == requirement), None)

    return fault


def assert_not_violated(service: UserClient, found: Generated, requirement: str, fault: Fault) -> None:
    """Raise RequirementViolated with the smallest generated call that violates it, NotDecided if no call could."""
    failing = list(_failing(found.asked, fault))
    if failing:
        call, exchange, violation = min([*failing, *_shrunk(found, service, fault, failing)], key=_size)
        message = f"{violation.message.partition(' The call: ')[0]} The smallest call that shows it: {call.in_words}."
        first = failing[0][1]
        raise replace(violation, message=message).shown_by([exchange] if exchange is first else [exchange, first])
    row = requirement.removesuffix("-error").removesuffix("-message")
    if row not in _ABOUT:
        raise NothingToAdd("No generated call violates this.")
    telling = [exchange for _, exchange in found.asked if _bears_on(row, exchange)]
    if not telling:
        raise found.undecided or _never_decided(service, found, row)
    refusals = [answer_of(each).document.value for each in telling if condition_of(each)]
    if row != requirement and not any(isinstance(each, dict) for each in refusals):
        raise NotDecided(f"No generated call was refused as specified. See {row}, 2.4-object.", exchanges=telling[:1])


def _size(shown: Shown) -> tuple[int, int]:
    return shown[0].size


def _failing(asked: Iterable[tuple[GeneratedCall, Exchange]], fault: Fault) -> Iterable[Shown]:
    for call, exchange in asked:
        if (violation := fault(exchange)) is not None:
            yield call, exchange, violation


def _never_decided(service: UserClient, found: Generated, requirement: str) -> NotDecided:
    """Return why no answer could violate a requirement."""
    if requirement == "4.1-requested-types" and not service.types():
        return not_applicable("no-data-types", "GET /data lists no data types.")
    try:
        service.session.remove(service.create().request_id)
    except NotDecided as why_nothing_is_created:
        return why_nothing_is_created
    concerned = [exchange for _, exchange in found.asked if _ABOUT[requirement](exchange.intent)]
    for exchange in concerned:
        answer_of(exchange)  # raises NotDecided: it got no usable response
    example = f": {describe(concerned[0])} was answered {in_words(concerned[0])}" if concerned else ""
    return NotDecided(
        f"No answer to a generated call decides this requirement{example}.",
        remedy="See 4.1-answers-200." if requirement == "4.1-requested-types" else "",
        exchanges=concerned[:1],
    )


def _bears_on(requirement: str, exchange: Exchange) -> bool:
    """Tell whether an answer could violate a requirement."""
    answer = exchange.response
    if answer is None or exchange.error is not None or not _ABOUT[requirement](exchange.intent):
        return False
    if requirement == "7-invalid-data-types":
        return exchange.intent.limit == "room" or not is_limit_refusal(exchange)
    return requirement != "4.1-requested-types" or answer.status == 200


def _shrunk(found: Generated, service: UserClient, fault: Fault, failing: list[Shown]) -> Iterable[Shown]:
    """Let hypothesis shrink the first failing call of schemathesis; return the smaller calls that fail too."""
    search, violation = next(
        ((search, each[2]) for each in failing if (search := found.searches.get(each[1].id))), (None, None)
    )
    if search is None or violation is None:
        return ()
    session, vocabulary = service.session, Vocabulary.of(service.types())
    name = f"{search.name}, smaller for {violation.requirement}"
    answers = _answers(found, search)
    sent = session.generated.setdefault(name, [])
    shrunk: list[tuple[GeneratedCall, Exchange]] = []

    def put(raw: GeneratedCall) -> Exchange:
        call = classified(raw, vocabulary)
        found.spare -= 1
        answers[raw] = exchange = call.send(service, smaller=True)
        shrunk.append((call, exchange))
        found.searches[exchange.id] = search
        return exchange

    if session.replays:
        for value in sent:
            with suppress(NotDecided):
                put(GeneratedCall.from_json(value))
    else:
        repeated = iter(range(_REPEATED))

        def fails(raw: GeneratedCall) -> bool:
            if raw not in answers:
                if found.spare <= 0:
                    raise SequenceEnded
                sent.append(raw.as_json())
                try:
                    put(raw)
                except NotDecided:
                    raise SequenceEnded from None
            elif next(repeated, None) is None:
                raise SequenceEnded
            return fault(answers[raw]) is not None

        search.shrink(fails)
    found.smaller += shrunk
    return list(_failing(shrunk, fault))


def _answers(found: Generated, search: Search) -> dict[GeneratedCall, Exchange]:
    """Return the answers to the calls of a search, by the calls as schemathesis generated them."""
    own = ((call, each) for call, each in (*found.asked, *found.smaller) if found.searches.get(each.id) == search)
    return {GeneratedCall.from_json(call.as_json()): each for call, each in own}
