"""Another trial at the limit, which two checks read: what changes nothing takes no place, and frees none (4.1, 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, cycle, islice, repeat
from typing import Final

from conformance.client.user import UserClient, accepted
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation, state_of
from conformance.model.identity import NOBODY, OTHER_USER, USER, USER_CLOSING, Created
from conformance.trials.budget import within_budget
from conformance.trials.credentials import refusals
from conformance.trials.limit import never_met, places, trial

BEYOND: Final = 2
"""Creations asked for at the end, all of which should be refused."""

_FEW: Final = 10
"""So many types are seldom too many for one creation: sizes are not shown (8)."""

_CREATIONS: Final = 7
"""How many the trial takes beside filling up: those refused here, one for the last place, and those beyond."""


@dataclass
class FullAgain:
    """What happened when, with one place left, creations were refused, the last was taken, and more was asked for."""

    held: list[Created]
    """Those that were there all the time."""
    refused: list[Exchange]
    """Creations of every kind that were refused."""
    final: Exchange
    """The creation for the last place."""
    beyond: list[Exchange] = field(default_factory=list)
    """Creations after that, and after other calls that free no place; empty where the last could not be taken."""
    reads: list[Exchange] = field(default_factory=list)
    """A reading of everything held, where one of those was accepted."""
    deletions: list[Exchange] = field(default_factory=list)
    """The deletion of each of the `held`."""

    @property
    def in_progress(self) -> list[Exchange]:
        """The readings that show a request in progress."""
        return [read for read in self.reads if state_of(read) is False]


def full_again(service: UserClient) -> FullAgain:
    """Run the trial, once for the whole run; raise NotDecided when it cannot be run on this target."""
    return service.tried_once("full again", lambda: _run(service))


def _run(service: UserClient) -> FullAgain:
    found = trial(service)
    places_there = len(found.held)
    if found.refused is None or not places_there or not found.freed_a_place:
        raise never_met(service, found)
    within_budget(service, places_there + _CREATIONS, "Seeing what a refused creation leaves")
    # One of them is for two types and one for some more: each is one request.
    listed = islice(chain([service.first_types(2), service.first_types(_FEW)], repeat(None)), places_there - 1)
    creating = [partial(_created, service, each) for each in listed]
    held = service.session.side_by_side(creating, at_most=places(service))
    # The newest, as in the trial: whoever frees no place in the middle must not be blamed for another thing.
    freed = service.create()
    control = service.delete(freed.request_id)
    if not accepted(control):
        raise NotDecided("A deletion was refused. See 4.3-answers-ok.", exchanges=[control])

    refused = [exchange for exchange in _refusals(service) if not accepted(exchange)]
    if not refused:
        raise NotDecided("None of the creations was refused. See 7-invalid-data-types and 5.3.")
    types = service.first_types(1)
    result = FullAgain(held, refused, service.post(types, USER_CLOSING, limit="one place left"))
    last = service.created_if_possible(result.final) if accepted(result.final) else None
    if last is not None:
        _ask_for_more(service, result, [*held, last], types)
    # The last one beside them, of which nothing is asked: it may be gone already.
    left = [*held, last] if last is not None else held
    deletions = [partial(service.delete, one.request_id, open=True) for one in left]
    result.deletions = service.session.side_by_side(deletions)[: len(held)]
    return result


def _created(service: UserClient, types: list[str] | None) -> Created:
    """Return a request for `types`, or for one where there are none or that many are not taken."""
    made = service.created_if_possible(service.post(types)) if types and len(types) > 1 else None
    return made or service.create()


def _ask_for_more(service: UserClient, result: FullAgain, held: list[Created], types: list[str] | None) -> None:
    without_effect: list[Callable[[], Exchange]] = [
        partial(service.data_me, USER),
        partial(service.delete, held[-1].request_id, NOBODY),
        service.settings,  # which are the same for who has reached the limit: every answer is judged
    ]
    if OTHER_USER.label in service.session.credentials:
        # Of the last one too, which need not be there any more: what another user may do is open.
        foreign = partial(service.delete, held[-1].request_id, OTHER_USER, request="foreign", open=True)
        without_effect.append(foreign)
    asked = service.session.side_by_side(without_effect)
    if asked[-1].operation is Operation.DELETE and accepted(asked[-1]):
        # Users are not isolated: the other one removed the last request, which has to be there again.
        held = [*held[:-1], service.create()]
    kinds = islice(cycle([types, service.first_types(_FEW)]), BEYOND)
    # One after another: creations at the same time are another matter (8-limit-enforced-in-parallel).
    result.beyond = [service.post(each, USER_CLOSING, limit="reached") for each in kinds]
    service.data()  # nothing is listed now that was refused
    extra = [service.created(exchange) for exchange in result.beyond if accepted(exchange)]
    if extra:
        readings = [partial(service.read, one.request_id) for one in [*held, *extra]]
        result.reads = service.session.side_by_side(readings)


def _refusals(service: UserClient) -> list[Exchange]:
    # Two known ones, and last: what is kept of them would show in the request that follows, which is for the first.
    unknown, known = service.unknown_type(), service.first_types(2) or []
    refused = refusals(service, Operation.CREATE)
    asked = service.session.side_by_side(
        [
            partial(service.post_raw, b'["unfinished', open=True),
            partial(service.post, [unknown]),
            partial(service.post, [*known, unknown]),
        ]
    )
    for exchange in asked:
        made = service.created_if_possible(exchange)
        if made is not None:
            service.delete(made.request_id)
    return [*asked, *refused.without, *refused.bad]
