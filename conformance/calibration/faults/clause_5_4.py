"""Faults of clauses 5.3 and 5.4: deletions that are rejected too late, and tokens where none is needed."""

from __future__ import annotations

from conformance.calibration.operators import one_in_ten
from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service

_DELETED = "5.3-rejected-delete-deletes-nothing"


class _DeletesFirst(Service):
    """Removes the request, then finds that the token is not accepted."""

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is Operation.DELETE and self.authenticate(call) is None and self.too_early(call):
            self.store.remove(call.request_id)
        return None

    def too_early(self, call: Call) -> bool:  # noqa: ARG002 variants override it
        """Say whether this call deletes before it is rejected."""
        return True


@fault(_DELETED)
class _DeletesBeforeTheTokenIsChecked(_DeletesFirst):
    """The token is checked when the answer is written, and the request is gone by then."""


@fault(_DELETED)
class _DeletesWithoutToken(_DeletesFirst):
    """The filter looks at tokens that are there; without one it complains only after the handler has run."""

    def too_early(self, call: Call) -> bool:
        return not call.authorization


@fault(_DELETED)
class _DeletesWithABadToken(_DeletesFirst):
    """The token is verified with the OAuth server in the background, while the request is being deleted."""

    def too_early(self, call: Call) -> bool:
        return bool(call.authorization)


def _closed(operation: Operation, *, sometimes: bool = False) -> type[Service]:
    class Changed(Service):
        async def shortcut(self, call: Call) -> Reply | None:
            closed = call.operation is operation and self.authenticate(call) is None
            if closed and (not sometimes or one_in_ten(self.turn(operation))):
                raise RefusedError(Condition.UNAUTHORIZED)
            return None

    return Changed


def _answered(operation: Operation, reply: Reply) -> type[Service]:
    class Changed(Service):
        async def shortcut(self, call: Call) -> Reply | None:
            if call.operation is operation and self.authenticate(call) is None:
                return Reply(reply.status, reply.body, dict(reply.headers))
            return None

    return Changed


_FORBIDDEN = Reply.json({"error": "Forbidden", "message": "Access is denied."}, 403)
_LOGIN = Reply(302, b"", {"location": "https://auth.shop.example/login"})

for _operation, _row, _name, _also in (
    (Operation.SETTINGS, "5.4-settings-without-token", "settings", ("4.4-answers-200",)),
    (Operation.DATA, "5.4-data-without-token", "data-types", ("4.5-answers-200",)),
):
    fault_table(
        _row, (f"{_name}-want-a-token", "Every path is closed by default.", _closed(_operation)), consequences=_also
    )
    fault_table(
        _row,
        (
            f"{_name}-want-a-token-in-one-of-ten",
            "One of the nodes closes every path.",
            _closed(_operation, sometimes=True),
        ),
        consequences=_also,
    )
    fault_table(
        _row,
        (
            f"{_name}-forbidden-without-token",
            "The firewall answers 403 to whoever carries no token.",
            _answered(_operation, _FORBIDDEN),
        ),
        consequences=_also,
    )
    fault_table(
        _row,
        (
            f"{_name}-redirect-to-login-without-token",
            "The portal sends whoever is not logged in to its login page.",
            _answered(_operation, _LOGIN),
        ),
        consequences=_also,
    )
