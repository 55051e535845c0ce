"""Requests that were missing though their user had not deleted them: does a deletion of nothing remove them? (3)"""

from __future__ import annotations

from typing import Final

from conformance.client.user import UserClient
from conformance.model.exchange import Exchange, is_missing
from conformance.model.identity import Created
from conformance.trials.limit import trial_so_far

MOST: Final = 3
"""The most requests that are held: the fault may depend on how many there are."""


def taken(service: UserClient) -> list[Exchange]:
    """Return a deletion of nothing with the reading and the deletion that then miss a request.

    The list is empty where no request of the run was missing, or none is missing after such a deletion.
    """
    if not service.session.journal.lost:
        return []
    found = trial_so_far(service)
    for number in range(1, min(MOST, found.limit if found is not None else 1) + 1):
        held = _held(service, number)
        if len(held) < number:
            return []
        deletion = service.delete(service.some_uuid())
        if lost := _missing(service, held):
            return [*lost[:2], deletion]
    return []


def _held(service: UserClient, number: int) -> list[Created]:
    service.session.clean_up()
    types = service.first_types(1)
    made = [service.created_if_possible(service.post(types, limit="freed")) for _ in range(number)]
    return [one for one in made if one is not None]


def _missing(service: UserClient, held: list[Created]) -> list[Exchange]:
    """Return a reading and a deletion of each request that neither of them finds."""
    asked = [[ask(one.request_id, open=True) for ask in (service.read, service.delete)] for one in held]
    return [exchange for each in asked if all(map(is_missing, each)) for exchange in each]
