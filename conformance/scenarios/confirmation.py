"""Scenarios that confirm or refute what the limit scenario suggests: what takes places, and what removes requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, cycle, islice, repeat
from typing import Final

from conformance.client.api import Api
from conformance.client.encodings import plain
from conformance.facts.answers import accepted
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.model.identity import ANONYMOUS, AS_A_BROWSER, OTHER_USER, USER, USER_CLOSING, Created
from conformance.rules.limit import limit_so_far
from conformance.scenarios.budget import within_budget
from conformance.scenarios.credentials import refused_creations
from conformance.scenarios.limit import limit, read_the_limit
from conformance.scenarios.places import places
from conformance.scenarios.registry import scenario
from conformance.scenarios.tokens import no_tokens

BEYOND: Final = 2
"""Creations at the end, all of which should be refused."""

_FEW: Final = 10
"""A number of types that services rarely refuse: the specification states no sizes (8)."""

_CREATIONS: Final = 9
"""Creations of the scenario beside those up to the limit: refused ones, one for the last place, and those beyond."""


@dataclass
class LimitRefill:
    """The calls around the limit: with one place left refused creations, then a creation for this place."""

    held: list[Created]
    """The requests that existed all the time."""
    refused: list[Exchange]
    """Creations of every kind that were refused."""
    final: Exchange
    """The creation for the last place."""


@scenario()
def limit_refill(service: Api) -> LimitRefill:
    """Creates up to the limit again, with refused creations and other calls that take and free no place (4.1, 8)."""
    found = limit.result(service)
    places_there = len(found.held)
    if not found.freed_a_place:
        raise limit_so_far(service).why_not_met()
    within_budget(service, places_there + _CREATIONS, "Testing the effect of a refused creation")
    # One of them is for two types and one for some more: each is one request.
    listed = islice(chain((service.first_types(number) for number in (2, _FEW)), repeat(None)), places_there - 1)
    creating = [partial(_created, service, each) for each in listed]
    held = service.session.parallel(creating, at_most=places(service))
    refused = [exchange for exchange in _refusals(service) if not accepted(exchange)]
    if not refused:
        raise NotDecided("The service refused none of the creations.")
    types = service.first_types(1)
    result = LimitRefill(held, refused, service.post(types, USER_CLOSING))
    last = service.created_if_possible(result.final) if accepted(result.final) else None
    if last is not None:
        _ask_for_more(service, [*held, last], types)
    left = [*held, last] if last is not None else held
    service.session.parallel([partial(service.delete, one.request_id, open=True) for one in left])
    return result


def _created(service: Api, types: list[str] | None) -> Created:
    """Return a request for `types`, or for one type if there are none or the service refuses the number."""
    made = service.created_if_possible(service.post(types)) if types and len(types) > 1 else None
    return made or service.create()


def _ask_for_more(service: Api, held: list[Created], types: list[str] | None) -> None:
    """Make calls that free no place, then create beyond the limit in every way."""
    without_effect: list[Callable[[], Exchange]] = [
        partial(service.data_me, USER),
        # A service that reads a token before it verifies it knows the user of an altered one.
        *(partial(service.delete, held[-1].request_id, each) for each in (ANONYMOUS, *no_tokens(service)[2:4])),
        service.settings,  # the same for a user at the limit: every answer is judged
    ]
    if OTHER_USER.label in service.session.credentials:
        # Of the last one too, which may be missing: what another user may do is open.
        foreign = partial(service.delete, held[-1].request_id, OTHER_USER, request="foreign", open=True)
        without_effect.append(foreign)
    service.session.parallel(without_effect)
    kinds = islice(cycle([types, service.first_types(_FEW)]), BEYOND)
    # One after another: simultaneous creations are another matter (8-limit-enforced-in-parallel).
    beyond = [service.post(each, USER_CLOSING) for each in kinds]
    if types:
        # Whether the service accepts these is open, but each would be one request beyond the limit.
        odd = (
            partial(service.post_raw, plain([*types, *types])),
            partial(service.post_raw, plain(types), media_type="text/plain"),
        )
        beyond += [post(open=True) for post in odd]
    extra = [one for exchange in beyond if accepted(exchange) and (one := service.created_if_possible(exchange))]
    if extra:
        readings = [partial(service.read, one.request_id) for one in [*held, *extra]]
        service.session.parallel(readings)
        read_the_limit(service, USER)


def _refusals(service: Api) -> list[Exchange]:
    # Two known types, at the end: if the service keeps them, they show in the next request, which is for the first
    # type.
    unknown, known = service.unknown_type(), service.first_types(2) or []
    refused = refused_creations.result(service)
    asked = service.session.parallel(
        [
            partial(service.post_raw, b'["unfinished', open=True),
            partial(service.post, [unknown]),
            partial(service.post, [*known, unknown], replace(USER, variation=AS_A_BROWSER)),
        ]
    )
    for exchange in asked:
        made = service.created_if_possible(exchange)
        if made is not None:
            service.delete(made.request_id)
    return [*asked, *refused.without, *refused.bad, *refused.odd]
