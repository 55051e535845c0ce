"""What a second user may do with the first one's request, which nothing says; asked once for several checks (5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from conformance.client.user import UserClient
from conformance.courses import course
from conformance.model.exchange import Exchange
from conformance.model.identity import OTHER_USER


@course(5)
def by_another(service: UserClient) -> Callable[[], tuple[Exchange, ...]]:
    """Has another user read and delete a request, and its user read it afterwards; nothing where there is no other."""

    def ask() -> tuple[Exchange, ...]:
        one = service.create().request_id
        read = service.read(one, OTHER_USER, request="foreign")
        deleted = service.delete(one, OTHER_USER, request="foreign")
        after = service.read(one)
        service.session.remove(one)
        return read, deleted, after

    known = OTHER_USER.label in service.session.credentials
    return partial(service.once, "by another user", ask) if known else tuple
