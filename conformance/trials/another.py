"""What a second user may do with the first one's request, which nothing says; asked once for several checks (5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from conformance.caller import OTHER_USER
from conformance.courses import course
from conformance.exchange import Exchange
from conformance.service import Service


@course(5)
def by_another(service: Service) -> Callable[[], tuple[Exchange, ...]]:
    """Has another user read and delete a request, and its user read it afterwards; nothing where there is no other."""
    return partial(_by_another, service) if OTHER_USER.label in service.session.credentials else tuple


def _by_another(service: Service) -> tuple[Exchange, Exchange, Exchange]:
    """Return how another user reads and deletes a request, and how it is read afterwards; asked once for the run."""

    def ask() -> tuple[Exchange, Exchange, Exchange]:
        one = service.create().request_id
        read = service.read(one, OTHER_USER, request="foreign")
        deleted = service.delete(one, OTHER_USER, request="foreign")
        after = service.read(one)
        service.session.remove(one)
        return read, deleted, after

    return service.once("by another user", ask)
