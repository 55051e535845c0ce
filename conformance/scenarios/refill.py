"""The refill scenario: at the limit, what takes a place and what frees none (4.1, 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, repeat
from typing import Final

from conformance.client.api import Api
from conformance.facts.answers import accepted
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import ANONYMOUS, AS_A_BROWSER, OTHER_USER, USER, USER_CLOSING, Created
from conformance.rules.limit import limit_so_far
from conformance.scenarios.credentials import refused_creations
from conformance.scenarios.limit import limit, places, read_the_limit, within_budget
from conformance.scenarios.registry import scenario
from conformance.scenarios.tokens import no_tokens

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
    found, session = limit.result(service), service.session
    if not found.freed_a_place:
        raise limit_so_far(service).why_not_met()
    within_budget(service, len(found.held) + _CREATIONS, "Testing the effect of a refused creation")
    # One of them is for two types and one for some more: each is one request.
    listed = islice(chain((service.first_types(number) for number in (2, _FEW)), repeat(None)), len(found.held) - 1)
    held = session.parallel([partial(_created, service, each) for each in listed], at_most=places(service))
    before = len(service.record)
    _be_refused(service)
    made = (each for each in service.record.exchanges[before:] if each.operation is Operation.CREATE)
    refused = [each for each in made if not accepted(each)]
    if not refused:
        raise NotDecided("The service refused none of the creations.")
    types = service.first_types(1)
    result = LimitRefill(held, refused, service.post(types, USER_CLOSING))
    last = service.created_if_possible(result.final) if accepted(result.final) else None
    if last is not None:
        _free_nothing(service, last)
        _go_beyond(service, [*held, last], types)
    left = [*held, last] if last is not None else held
    session.parallel([partial(service.delete, one.request_id, open=True) for one in left])
    return result


def _created(service: Api, types: list[str] | None) -> Created:
    """Return a request for `types`, or for one type if there are none or the service refuses the number."""
    made = service.created_if_possible(service.post(types)) if types and len(types) > 1 else None
    return made or service.create()


def _be_refused(service: Api) -> None:
    """Create in ways that the service refuses; delete what it makes."""
    # Two known types, at the end: if the service keeps them, they show in the next request, which is for the first
    # type.
    unknown, known = service.unknown_type(), service.first_types(2) or []
    refused_creations.result(service)
    asked = service.session.parallel(
        [
            partial(service.post_raw, b'["unfinished', open=True),
            partial(service.post, [unknown]),
            partial(service.post, [*known, unknown], replace(USER, variation=AS_A_BROWSER)),
        ]
    )
    for made in filter(None, map(service.created_if_possible, asked)):
        service.delete(made.request_id)


def _free_nothing(service: Api, last: Created) -> None:
    """Make calls that free no place."""
    delete = partial(service.delete, last.request_id)
    without_effect: list[Callable[[], Exchange]] = [
        partial(service.data_me, USER),
        # A service that reads a token before it verifies it knows the user of an altered one.
        *(partial(delete, each) for each in (ANONYMOUS, *no_tokens(service)[2:4])),
        service.settings,  # the same for a user at the limit: every answer is judged
    ]
    if OTHER_USER.label in service.users:
        # What another user may do is open.
        without_effect.append(partial(delete, OTHER_USER, request="foreign", open=True))
    service.session.parallel(without_effect)


def _go_beyond(service: Api, held: list[Created], types: list[str] | None) -> None:
    """Create beyond the limit in every way; if a creation is accepted, read every request."""
    # One after another: simultaneous creations are another matter (8-limit-enforced-in-parallel).
    beyond = [service.post(each, USER_CLOSING) for each in (types, service.first_types(_FEW))]
    if types:
        # Whether the service accepts these is open, but each would be one request beyond the limit.
        beyond.append(service.post([*types, *types], body="odd", open=True))
        beyond.append(service.post(types, media_type="text/plain", body="odd", open=True))
    extra = [one for exchange in beyond if accepted(exchange) and (one := service.created_if_possible(exchange))]
    if extra:
        service.session.parallel([partial(service.read, one.request_id) for one in [*held, *extra]])
        read_the_limit(service, USER)
