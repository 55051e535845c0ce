"""Requests that are gone after calls that should leave them alone: asked again, beside some that nobody asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conformance.exchange import Exchange
from conformance.expect import answer_of, not_applicable
from conformance.service import Service

ROUNDS: Final = 3
"""How often it must show: a request may complete at any time, and what is completed need not be readable."""


def withdrawn(service: Service, act: Callable[[str], object]) -> list[Exchange]:
    """Return readings that miss a request after `act` on its identifier; raise not-applicable where others do it.

    It is missing each time, and none that nobody asked for is, though it is left alone three times as long.
    """
    missing = []
    for turn in range(ROUNDS):
        # By turns the older and the younger: one may complete because another was created.
        one, other = [service.create(), service.create()][:: 1 if turn % 2 else -1]
        act(one.request_id)
        read = service.read(one.request_id, open=True)
        if answer_of(read).status != 404:
            raise not_applicable("A request was missing once, and not when the same was asked again.", read)
        missing.append(read)
        service.session.sleep(3 * (read.started - one.exchange.started).total_seconds())
        control = service.read(other.request_id, open=True)
        if answer_of(control).status != 200:
            raise not_applicable("A request that nobody asked for was missing too.", read, control)
        service.session.clean_up()
    return missing
