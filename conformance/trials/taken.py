"""Requests that were missing though nobody had asked for their deletion: did one take them that named nothing? (3)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from conformance.caller import Created
from conformance.expect import not_applicable
from conformance.judging.lifetimes import is_missing
from conformance.service import Service
from conformance.traffic.exchange import Exchange
from conformance.trials.limit import trial_so_far

MOST: Final = 3
"""So many are held at most: it may hang on how many there are."""

ROUNDS: Final = 3
"""How often it must show, each time beside requests that are left alone three times as long, and stay."""


def taken(service: Service) -> list[Exchange]:
    """Return deletions that named nothing, each with the reading and the deletion that then missed a request.

    Raise not-applicable where no request of the run was missing, or something else may be behind it.
    """
    if not service.session.journal.lost:
        raise not_applicable("No request of the run was missing that had not been deleted.")
    found = trial_so_far(service)
    for number in range(1, min(MOST, found.limit if found is not None else 1) + 1):
        shown = list(_rounds(service, number))
        if len(shown) == ROUNDS:
            return [exchange for each in shown for exchange in each]
    raise not_applicable("No request is missing after deletions that name none.")


def _rounds(service: Service, number: int) -> Iterator[list[Exchange]]:
    """Yield what shows the loss as long as it shows, and nothing is lost that is left alone."""
    for _ in range(ROUNDS):
        held = _held(service, number)
        deletion = service.delete(service.some_uuid())
        if not (lost := _missing(service, held)):
            return
        took = (lost[-1].started - held[0].exchange.started).total_seconds()
        alone = _held(service, number)
        service.read(service.some_uuid())
        service.session.clock.sleep(3 * took)
        if _missing(service, alone):
            raise not_applicable("A request that was left alone was missing too.", *lost)
        yield [deletion, *lost[:2]]


def _held(service: Service, number: int) -> list[Created]:
    service.session.clean_up()
    made = [
        service.created_if_possible(service.post(service.types()[:1] or None, limit="freed")) for _ in range(number)
    ]
    held = [one for one in made if one is not None]
    if len(held) < number:
        raise not_applicable("No more requests could be held, to look whether one goes missing.")
    return held


def _missing(service: Service, held: list[Created]) -> list[Exchange]:
    """Return a reading and a deletion of each request that neither of them finds."""
    asked = [[ask(one.request_id, open=True) for ask in (service.read, service.delete)] for one in held]
    return [exchange for each in asked if all(map(is_missing, each)) for exchange in each]
