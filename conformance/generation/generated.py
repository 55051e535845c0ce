"""The scenario of generated calls: the run sends them once, and several checks read the answers."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Final

from conformance.client.public import PublicClient
from conformance.client.user import UserClient, is_limit_refusal
from conformance.generation.call import GeneratedCall, alike
from conformance.generation.cases import Drawn, draw
from conformance.generation.examples import judged, open_bodies, open_elsewhere, other_forms, welcome
from conformance.generation.model import SequenceEnded
from conformance.model.error_table import condition_of
from conformance.model.errors import NotDecided, answer_of, describe, in_words, not_applicable
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import ANYTHING
from conformance.rules.judge import judge
from conformance.rules.run_context import RunContext
from conformance.scenarios.limit import places
from conformance.scenarios.registry import scenario
from conformance.schema.violations import Violation

DRAWN: Final = 6
"""Cases of each kind that schemathesis generates; a thorough run has ten times as many."""

SPARE: Final = 40
"""Exchanges that a run may use to shrink calls; a thorough run ten times as many."""

Fault = Callable[[GeneratedCall, Exchange], Violation | None]


@dataclass
class Generated:
    """The generated calls and their answers, in the order of the record."""

    asked: list[tuple[GeneratedCall, Exchange]] = field(default_factory=list)
    undecided: NotDecided | None = None
    """Why the run did not send all calls."""
    spare: int = SPARE
    """Exchanges that remain for shrinking."""
    smaller: dict[GeneratedCall, Exchange] = field(default_factory=dict)
    """The calls that shrinking has sent, without repetition."""


@scenario(calls=0, background=True)
def schemathesis_at_hand(public: PublicClient) -> Drawn:
    """Imports schemathesis and generates its cases while other calls wait for their answers.

    Hypothesis parses source text, which Python 3.11 cannot do in two threads at once. Therefore everything else that
    uses hypothesis waits for this.
    """
    session = public.session
    with _without_garbage_collection():
        return draw(session.seed, DRAWN * session.target.budget.times)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Pause the garbage collector of the process.

    Python 3.11 parses source text in the main thread too, for each traceback. A collection in the middle of that runs
    a callback of hypothesis; there the other thread may take over, parse as well, and end with a SystemError
    ("recursion depth mismatch").
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@scenario(calls=150)
def generated(service: UserClient) -> Generated:
    """Sends the generated calls of this run."""
    found = Generated()
    with service.session.attributed_to("generated calls"):
        try:
            _ask(service, found)
        except NotDecided as error:
            found.undecided = error
    return found


def _ask(service: UserClient, found: Generated) -> None:
    session = service.session
    chance = session.chance
    thorough = session.target.budget.times
    drawn = schemathesis_at_hand.result(service)
    found.spare = SPARE * thorough
    known = service.some_types()
    likenesses = frozenset(map(alike, service.types()))
    anonymous, described = session.target.anonymous, service.descriptions()
    drawn_calls = judged(drawn, known, likenesses, chance, thorough, described=described, anonymous=anonymous)
    stated = _in_every_language(drawn_calls, service.tags())
    refused = [*stated, *open_elsewhere(drawn, chance, thorough)]
    made = [*welcome(known, chance, thorough), *open_bodies(drawn, known, service.types(), chance, thorough)]

    room = places(service)
    # A service that asks to retry simultaneous creations receives one at a time.
    creations = [call for call in refused if call.operation is Operation.CREATE]
    answers = [_put(service, creations, at_most=1 if room == 1 else None)]
    elsewhere = [call for call in refused if call.operation is not Operation.CREATE]
    # Calls that may create a request must not reach the limit.
    answers += session.parallel(
        [partial(_beside_a_request, service, elsewhere), *(partial(_put, service, [call]) for call in made)],
        each=[_EACH * (len(elsewhere) + _FORMS + 1), *[_EACH] * len(made)],
        at_most=room,
    )
    for call, exchange in chain(*answers):
        if isinstance(exchange, NotDecided):
            found.undecided = found.undecided or exchange
        else:
            found.asked.append((call, exchange))
    _ask_with_room(service, found)


def _ask_with_room(service: UserClient, found: Generated) -> None:
    """Repeat calls that the limit refused, with room for them."""
    unknown = [(call, each) for call, each in found.asked if each.intent.body == "unknown type"]
    if not unknown or not all(is_limit_refusal(each) for _, each in unknown):
        return
    service.session.clean_up()
    service.session.remove(service.create().request_id)
    call = unknown[0][0]
    found.asked.append((call, call.send(service, limit="room")))
    service.session.remove(service.create().request_id)


def _in_every_language(calls: Iterable[GeneratedCall], languages: list[str]) -> Iterator[GeneratedCall]:
    """Yield the calls, every other one in a supported language, because errors are not translated.

    Of the others, every other one accepts any media type.
    """
    for place, call in enumerate(calls):
        if languages and place % 2:
            yield replace(call, headers=(("Accept-Language", languages[place // 2 % len(languages)]),))
        else:
            yield replace(call, headers=(("Accept", ANYTHING),)) if place % 4 == 2 else call


_EACH: Final = 2
"""Exchanges of a call: if the service accepts an invalid call, the run deletes the new request."""

_FORMS: Final = 2
"""Other notations of an identifier."""

Answers = list[tuple[GeneratedCall, Exchange | NotDecided]]


def _beside_a_request(service: UserClient, calls: list[GeneratedCall]) -> Answers:
    """Send calls while a request exists, to find services that confuse an unknown identifier with it."""
    created = service.created_if_possible(service.post(service.first_types(1)))
    thorough = service.session.target.budget.times
    answers = _put(service, calls + (list(other_forms(created.request_id, thorough)) if created else []))
    if created:
        service.session.remove(created.request_id)
    return answers


def _put(service: UserClient, calls: list[GeneratedCall], *, at_most: int | None = None) -> Answers:
    def put(call: GeneratedCall) -> Exchange | NotDecided:
        try:
            return call.send(service)
        except NotDecided as error:
            return error

    answers = service.session.parallel([partial(put, call) for call in calls], each=_EACH, at_most=at_most)
    return list(zip(calls, answers, strict=True))


def violates(service: UserClient, requirement: str) -> Fault:
    """Return a predicate: does an exchange violate one requirement by itself?"""
    known = RunContext(types=service.session.results.every_type)

    def fault(call: GeneratedCall, exchange: Exchange) -> Violation | None:  # noqa: ARG001 the exchange says it all
        return next((each for each in judge(exchange, known) if each.requirement == requirement), None)

    return fault


def assert_not_violated(service: UserClient, found: Generated, requirement: str, fault: Fault) -> None:
    """Raise RequirementViolated with the smallest generated call that violates it, NotDecided if no call could."""
    for call, exchange in found.asked:
        violation = fault(call, exchange)
        if violation is not None:
            least, (shown, violation) = _shrunk(found, service, fault, call, (exchange, violation))
            _tell(found, fault, exchange)
            headline = violation.message.partition(" The call: ")[0]
            message = f"{headline} The smallest call that shows it: {least.in_words}."
            raise replace(violation, message=message).shown_by([shown] if shown is exchange else [shown, exchange])
    row = requirement.removesuffix("-error").removesuffix("-message")
    telling = [exchange for _, exchange in found.asked if _bears_on(row, exchange)]
    if not telling:
        raise found.undecided or _never_decided(service, found, row)
    if row != requirement and not any(map(condition_of, telling)):
        raise NotDecided(f"The service refused no generated call as specified. See {row}.", exchanges=telling[:1])


def _never_decided(service: UserClient, found: Generated, requirement: str) -> NotDecided:
    """Return why no answer could violate a requirement."""
    if requirement == "4.1-requested-types" and not service.types():
        return not_applicable("no-data-types", "GET /data lists no data types.")
    try:
        service.session.remove(service.create().request_id)
    except NotDecided as why_nothing_is_created:
        return why_nothing_is_created
    concerned = [exchange for _, exchange in found.asked if _concerns(requirement, exchange)]
    for exchange in concerned:
        answer_of(exchange)  # raises NotDecided: it got no usable response
    example = f": {describe(concerned[0])} was answered {in_words(concerned[0])}" if concerned else ""
    return NotDecided(
        f"No answer to a generated call decides this requirement{example}.",
        remedy="See 4.1-answers-200." if requirement == "4.1-requested-types" else "",
        exchanges=concerned[:1],
    )


def _concerns(requirement: str, exchange: Exchange) -> bool:
    """Tell whether a call is one that a requirement is about."""
    intent = exchange.intent
    return {
        "7-not-found": intent.request == "unknown",
        "7-invalid-data-types": intent.body == "unknown type",
        "4.1-requested-types": intent.body == "known types",
    }.get(requirement, True)


def _bears_on(requirement: str, exchange: Exchange) -> bool:
    """Tell whether an answer could violate a requirement."""
    answer = exchange.response
    if answer is None or exchange.error is not None or not _concerns(requirement, exchange):
        return False
    if requirement == "7-invalid-data-types":
        return exchange.intent.limit == "room" or not is_limit_refusal(exchange)
    return requirement != "4.1-requested-types" or answer.status == 200


def _tell(found: Generated, fault: Fault, told: Exchange) -> None:
    """Add the finding to all generated calls that show the same violation, so that the report has it once."""
    for call, exchange in (*found.asked, *found.smaller.items()):
        if exchange.operation is told.operation and (violation := fault(call, exchange)) is not None:
            exchange.told.append(violation.requirement)


def _shrunk(
    found: Generated, service: UserClient, fault: Fault, call: GeneratedCall, proof: tuple[Exchange, Violation]
) -> tuple[GeneratedCall, tuple[Exchange, Violation]]:
    """Return the smallest form of a call that still violates the requirement, with the violation."""
    from conformance.generation.hypothesis_runs import shrink

    def fails(kept: tuple[int, ...]) -> tuple[GeneratedCall, tuple[Exchange, Violation]] | None:
        smaller = call.of_parts(kept)
        if smaller is None:
            return None
        if smaller == call:
            return call, proof
        if smaller not in found.smaller:
            if not found.spare:
                raise SequenceEnded
            found.spare -= 1
            try:
                found.smaller[smaller] = smaller.send(service, smaller=True)
            except NotDecided:
                raise SequenceEnded from None
        exchange = found.smaller[smaller]
        violation = fault(smaller, exchange)
        return (smaller, (exchange, violation)) if violation is not None else None

    parts = call.parts()
    return shrink(parts, fails, seed=service.session.seed, groups=lambda part: part[:1]) or (call, proof)
