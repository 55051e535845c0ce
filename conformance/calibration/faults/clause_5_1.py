"""Faults of clause 5.1: a token that is valid and not accepted."""

from __future__ import annotations

from conformance.calibration.operators import one_in_ten
from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.config import User
from conformance.reference.service import Service

_BEARER = "5.1-accepts-bearer"
_NAMES = {Operation.CREATE: "create", Operation.READ: "read", Operation.DELETE: "delete"}
_UNAUTHORIZED = ("2.4-object", "2.4-error", "2.4-message", "7-unauthorized-error", "7-unauthorized-message")
_DELETED = "5.3-rejected-delete-deletes-nothing"

# ---------------------------------------------------------------------- the token is not accepted


def _not_accepted(*operations: Operation) -> type[Service]:
    class Changed(Service):
        def authenticate(self, call: Call) -> User | None:
            return None if call.operation in operations else super().authenticate(call)

    return Changed


_BROKEN = {
    Operation.CREATE: ("4.1-answers-200", "4.1-body-omitted", "4.1-requested-types"),
    Operation.READ: ("4.2-answers-200", "7-not-found", "3-removed"),
    Operation.DELETE: ("4.3-answers-ok", "7-not-found", "3-removed"),
}
for _operation, _name in _NAMES.items():
    fault_table(
        _BEARER,
        (
            f"bearer-not-accepted-on-{_name}",
            f"The middleware that reads the token is not installed on the route to {_name}.",
            _not_accepted(_operation),
        ),
        consequences=_BROKEN[_operation],
    )


# A service that accepts the token in another place or scheme only cannot be told from one that was given a wrong
# token: such a run ends before it begins, so there is no fault of that kind here.

_ALL_BROKEN = tuple(dict.fromkeys(each for rows in _BROKEN.values() for each in rows))


@fault(_BEARER, *_ALL_BROKEN)
class _BearerRefusedInOneOfTen(Service):
    """One of the nodes has an old key and takes every signature for wrong."""

    def authenticate(self, call: Call) -> User | None:
        user = super().authenticate(call)
        return None if user and call.operation in _NAMES and one_in_ten(self.turn(call.operation)) else user


@fault(_BEARER, "4.3-answers-ok", "3-removed")
class _DeleteWantsAnotherScope(Service):
    """Deletion is for administrators: the user's token is understood and not enough."""

    async def delete(self, call: Call) -> Reply:
        self.find(call)
        return Reply.json({"error": "Forbidden", "message": "insufficient_scope"}, 403)
