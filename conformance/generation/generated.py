"""The scenario of generated calls: the run sends them once, and several checks read the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from conformance.client.api import Api
from conformance.generation.call import GeneratedCall
from conformance.generation.drawn import OF_THE_PUBLIC, OF_USERS, READINGS, drawn
from conformance.generation.examples import judged, open_bodies, other_forms, welcome, words
from conformance.generation.meaning import Vocabulary
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import ANYTHING
from conformance.scenarios.limit import places
from conformance.scenarios.registry import scenario


@dataclass
class Generated:
    """The generated calls and their answers, in the order of the record."""

    asked: list[tuple[GeneratedCall, Exchange]] = field(default_factory=list)
    undecided: NotDecided | None = None
    """Why the run did not send all calls."""


@scenario()
def generated(service: Api) -> Generated:
    """Sends the generated calls of this run."""
    found = Generated()
    with service.session.attributed_to("generated calls"):
        try:
            _ask(service, found)
        except NotDecided as error:
            found.undecided = error
    return found


@scenario(public=True)
def unusual_readings(service: Api) -> list[tuple[GeneratedCall, Exchange]]:
    """Sends generated calls without a token, with and without additions that no clause names."""
    with service.session.attributed_to(READINGS):
        calls = drawn(service, OF_THE_PUBLIC)
        answers = service.session.parallel([partial(call.read, service) for call in calls])
    return list(zip(calls, answers, strict=True))


def _ask(service: Api, found: Generated) -> None:
    session = service.session
    chance = session.chance
    known = service.some_types()
    likenesses = Vocabulary.of(service.types()).likenesses
    times, anonymous = session.target.budget.times, session.target.anonymous
    explicit = judged(known, likenesses, chance, times, anonymous=anonymous)
    refused = [*_in_every_language(explicit, service.tags()), *words(chance)]
    made = [*welcome(known, chance), *open_bodies(known, service.types(), chance)]
    cases = drawn(service, OF_USERS)

    room = places(service)
    # A service that asks to retry simultaneous creations receives one at a time.
    creations = [call for call in refused if call.operation is Operation.CREATE]
    answers = [_put(service, creations, at_most=1 if room == 1 else None)]
    elsewhere = [call for call in refused if call.operation is not Operation.CREATE]
    elsewhere += [call for call in cases if call.operation is not Operation.CREATE]
    made += [call for call in cases if call.operation is Operation.CREATE]
    # Calls that may create a request must not reach the limit.
    answers += session.parallel(
        [partial(_beside_a_request, service, elsewhere), *(partial(_put, service, [call]) for call in made)],
        at_most=room,
    )
    for call, exchange in chain(*answers):
        if isinstance(exchange, NotDecided):
            found.undecided = found.undecided or exchange
        else:
            found.asked.append((call, exchange))


def _in_every_language(calls: Iterable[GeneratedCall], languages: list[str]) -> Iterator[GeneratedCall]:
    """Yield the calls, every other one in a supported language, because errors are not translated.

    Of the others, every other one accepts any media type.
    """
    for place, call in enumerate(calls):
        if languages and place % 2:
            yield replace(call, headers=(("Accept-Language", languages[place // 2 % len(languages)]),))
        else:
            yield replace(call, headers=(("Accept", ANYTHING),)) if place % 4 == 2 else call


Answers = list[tuple[GeneratedCall, Exchange | NotDecided]]


def _beside_a_request(service: Api, calls: list[GeneratedCall]) -> Answers:
    """Send calls while a request exists, to find services that confuse an unknown identifier with it."""
    created = service.created_if_possible(service.post(service.first_types(1)))
    answers = _put(service, calls + (list(other_forms(created.request_id)) if created else []))
    if created:
        service.session.remove(created.request_id)
    return answers


def _put(service: Api, calls: list[GeneratedCall], *, at_most: int | None = None) -> Answers:
    def put(call: GeneratedCall) -> Exchange | NotDecided:
        try:
            return call.send(service)
        except NotDecided as error:
            return error

    answers = service.session.parallel([partial(put, call) for call in calls], at_most=at_most)
    return list(zip(calls, answers, strict=True))
