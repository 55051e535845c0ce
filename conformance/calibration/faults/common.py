"""What several modules of faults share: base classes, and the ids of requirements that break together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cached_property

from conformance.calibration.operators import answering, changing
from conformance.reference.call import Action, Call, ErrorCondition
from conformance.reference.config import User
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

NAMES = {Action.CREATE: "create", Action.READ: "read", Action.DELETE: "delete"}
"""The operations that need a token, by their names in the ids of 5.3."""
DELETED = "5.3-rejected-delete-deletes-nothing"
NO_TYPES = ("2.1-dataRequested-known", "4.1-body-omitted", "4.1-requested-types")
"""The consequences of types that cannot be requested."""

SLUGS = {
    ErrorCondition.LIMIT: "limit-reached",
    ErrorCondition.DATA_TYPES: "invalid-data-types",
    ErrorCondition.LANGUAGE: "language-not-supported",
    ErrorCondition.UNAUTHORIZED: "unauthorized",
    ErrorCondition.NO_REQUEST: "not-found",
}
"""The conditions of the table of clause 7, by their names in its ids."""


def no_error_object(condition: ErrorCondition) -> tuple[str, ...]:
    """Return the consequences of a refusal whose body is no error object."""
    return ("2.4-*", f"7-{SLUGS[condition]}-*")


def taken_for(user_of: Callable[[Service, Call], User | None], *operations: Action) -> type[Service]:
    """Return the service that takes some clients whose token is not valid, or absent, for a user."""

    def change(service: Service, known: User | None, call: Call) -> User | None:
        return user_of(service, call) if known is None and call.operation in operations else known

    return changing("authenticate", change)


def limited(fits: Callable[[int, int], bool]) -> type[Service]:
    """Return the service that accepts a request when `fits` allows one more, given the number held and the limit."""

    def has_room(service: Service, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return fits(sum(service.holds_place(each, request.owner) for each in existing), service.config.max_requests)

    return answering(has_room, "has_room")


LIMIT_REACHED = ("7-limit-reached*",)


class Remembering(Service):
    """Keeps deleted requests and the moments of their deletion."""

    removed = cached_property(lambda _: dict[str, tuple[DataRequest, datetime]]())

    def remove(self, request: DataRequest) -> DataRequest | None:
        """Delete a request and keep a copy."""
        self.removed[request.id] = (request, self.now())
        return super().remove(request)

    def find_removed(self, call: Call) -> DataRequest:
        """Return a request whether or not it was deleted."""
        found = self.removed.get(call.request_id)
        return found[0] if found else super().find(call)


def is_completed(service: Service, call: Call) -> bool:
    """Tell whether the request that a call names is completed; raise RefusedError if there is none."""
    return service.find(call).completed_at(service.now()) is not None
