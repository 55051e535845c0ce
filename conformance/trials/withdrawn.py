"""Requests that are gone after calls that should leave them alone: asked again, beside some that nobody asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from conformance.expect import answer_of, not_applicable
from conformance.service import Service
from conformance.traffic.exchange import Exchange
from conformance.trials.limit import accepted

ROUNDS: Final = 3
"""How often it must show: a request may complete at any time, and what is completed need not be readable."""


def withdrawn(
    service: Service, act: Callable[[str], Sequence[Exchange]], statuses: Collection[int]
) -> list[list[Exchange]]:
    """Return, round by round, a reading that misses a request, and before it what `act` asked with its identifier.

    Raise not-applicable where something else may be behind it: each call is answered with one of `statuses`, that is
    refused; each request stays missing, and cannot be deleted; and none goes missing that is left alone three times as
    long.
    """
    rounds = []
    for turn in range(ROUNDS):
        made = [service.created_if_possible(service.post(service.types()[:1] or None)) for _ in range(2)]
        # By turns the older and the younger: one may complete because another was created.
        one, other = made[:: 1 if turn % 2 else -1]
        if one is None or other is None:
            raise not_applicable("No two requests could be held at once, to compare one with another.")
        asked = act(one.request_id)
        read = service.read(one.request_id, open=True)
        service.session.clock.sleep(3 * (read.started - one.exchange.started).total_seconds())
        control, again = (service.read(each.request_id, open=True) for each in (other, one))
        if any(answer_of(each).status not in statuses for each in asked):
            raise not_applicable("Not every call was refused when the same was asked again.", *asked)
        if [answer_of(each).status for each in (read, again)] != [404, 404]:
            raise not_applicable("A request was missing once, and not when the same was asked again.", read, again)
        if answer_of(control).status != 200:
            raise not_applicable("A request that nobody asked for was missing too.", read, control)
        if accepted(service.delete(one.request_id, open=True)):
            raise not_applicable("What was missing could be deleted: it may have completed, and be hidden.", read)
        rounds.append([*asked, read])
        service.session.clean_up()
    return rounds
