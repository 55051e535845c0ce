"""The scenarios of generated calls, with a token and without one. A run sends them once; every answer is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from conformance.generation.call import GeneratedCall
from conformance.generation.cases import OF_THE_PUBLIC, OF_USERS, drawn
from conformance.generation.examples import open_bodies, other_forms, welcome, with_a_specified_answer, words
from conformance.model.exchange import Operation
from conformance.model.identity import ANONYMOUS, ANYTHING, USER, created_by
from conformance.scenarios.api import Api
from conformance.scenarios.limit import places
from conformance.scenarios.registry import scenario


@scenario(public=True)
def unusual_readings(service: Api) -> None:
    """Sends generated calls without a token, with and without additions that no clause names."""
    with service.session.attributed_to("generated readings"):
        calls = drawn(service, OF_THE_PUBLIC)
        service.session.parallel([partial(call.send, service, ANONYMOUS) for call in calls])


@scenario()
def generated(service: Api) -> None:
    """Sends the generated calls of a user."""
    session = service.session
    with session.attributed_to("generated calls"):
        chance, known, listed = session.chance, service.some_types(), service.types()
        times, anonymous = session.target.budget.times, session.target.anonymous
        explicit = with_a_specified_answer(known, frozenset(listed), chance, times, anonymous=anonymous)
        refused = [*_in_every_language(explicit, service.tags()), *words(chance)]
        made = [*welcome(known, chance), *open_bodies(known, listed, chance)]
        cases = drawn(service, OF_USERS)
        room = places(service)
        # A service that asks to retry simultaneous creations receives one at a time.
        at_first = partial(_send_all, service, _creations(refused), at_most=1 if room == 1 else None)
        # Calls that may create a request must not reach the limit.
        beside = [call for call in (*refused, *cases) if call.operation is not Operation.CREATE]
        calls = [partial(_beside_a_request, service, beside)]
        calls += [partial(_send, service, call) for call in (*made, *_creations(cases))]
        rounds: list[Callable[[], object]] = [at_first, partial(session.parallel, calls, at_most=room)]
        session.parallel(rounds, at_most=1)


def _creations(calls: Iterable[GeneratedCall]) -> list[GeneratedCall]:
    return [call for call in calls if call.operation is Operation.CREATE]


def _in_every_language(calls: Iterable[GeneratedCall], languages: list[str]) -> Iterator[GeneratedCall]:
    """Yield the calls, every other one in a supported language, because errors are not translated.

    Of the others, every other one accepts any media type.
    """
    for place, call in enumerate(calls):
        if languages and place % 2:
            yield replace(call, headers=(("Accept-Language", languages[place // 2 % len(languages)]),))
        else:
            yield replace(call, headers=(("Accept", ANYTHING),)) if place % 4 == 2 else call


def _beside_a_request(service: Api, calls: Sequence[GeneratedCall]) -> None:
    """Send calls while a request exists, to find services that confuse an unknown identifier with it."""
    created = created_by(service.post(service.first_types(1)))
    _send_all(service, [*calls, *(other_forms(created.request_id) if created else ())])
    if created:
        service.session.remove(created.request_id)


def _send_all(service: Api, calls: Sequence[GeneratedCall], *, at_most: int | None = None) -> None:
    service.session.parallel([partial(_send, service, call) for call in calls], at_most=at_most)


def _send(service: Api, call: GeneratedCall) -> None:
    """Send a call; delete a request that it created."""
    exchange = call.send(service)
    made = created_by(exchange) if call.operation is Operation.CREATE else None
    if made is not None:
        service.delete(made.request_id, USER, request="clean-up")
