"""Faults of clause 5.3: tokens that are accepted and should not be."""

from __future__ import annotations

from abc import ABC, abstractmethod

from conformance.calibration.variant import fault_table
from conformance.reference.call import Call, Operation
from conformance.reference.config import User
from conformance.reference.service import Service

_NAMES = {Operation.CREATE: "create", Operation.READ: "read", Operation.DELETE: "delete"}
_DELETED = "5.3-rejected-delete-deletes-nothing"


class _Accepting(Service, ABC):
    """Accepts more tokens than it should, on one operation."""

    operation: Operation

    def authenticate(self, call: Call) -> User | None:
        user = super().authenticate(call)
        if user is None and call.operation is self.operation and len(call.authorization) == 1:
            return self.mistaken(call.authorization[0])
        return user

    @abstractmethod
    def mistaken(self, header: str) -> User | None:
        """Return the user that this header is mistaken to stand for."""


class _Prefix(_Accepting):
    """Only the first sixteen characters are compared: the column is that short."""

    def mistaken(self, header: str) -> User | None:
        given = header.removeprefix("Bearer ")[:16]
        return next((user for user in self.config.users if len(given) == 16 and user.token.startswith(given)), None)


class _Ending(_Accepting):
    """Only the last characters are compared: that is what is kept of a token, to be shown in lists."""

    def mistaken(self, header: str) -> User | None:
        given = header.removeprefix("Bearer ")[-12:]
        return next((user for user in self.config.users if len(given) == 12 and user.token.endswith(given)), None)


class _CaseFolded(_Accepting):
    """Tokens are compared by a database whose collation ignores case."""

    def mistaken(self, header: str) -> User | None:
        given = header.removeprefix("Bearer ").lower()
        return next((user for user in self.config.users if user.token.lower() == given), None)


class _Longer(_Accepting):
    """The token has to be found in the header, whatever else is there."""

    def mistaken(self, header: str) -> User | None:
        return next((user for user in self.config.users if user.token in header), None)


class _Empty(_Accepting):
    """An empty token is no token, and no token is the default user."""

    def mistaken(self, header: str) -> User | None:
        return self.config.users[0] if header.partition(" ")[2].strip() == "" else None


class _AnyScheme(_Accepting):
    """Whoever sends Basic is taken for the technical user, without a look at the password."""

    def mistaken(self, header: str) -> User | None:
        return self.config.users[0] if header.lower().startswith("basic ") else None


class _Unverified(_Accepting):
    """A token is decoded and not verified: any will do."""

    def mistaken(self, header: str) -> User | None:
        return self.config.users[0] if header.partition(" ")[2].strip() else None


class _WordForNothing(_Accepting):
    """A client without a token writes "null" for it, and was made to work by a user of that name."""

    def mistaken(self, header: str) -> User | None:
        return self.config.users[0] if header.partition(" ")[2] in ("null", "undefined") else None


for _operation, _name in _NAMES.items():
    for _slug, _class in (
        ("prefix-of-token", _Prefix),
        ("ending-of-token", _Ending),
        ("token-in-other-case", _CaseFolded),
        ("longer-token", _Longer),
        ("empty-token", _Empty),
        ("basic-credentials", _AnyScheme),
        ("any-token", _Unverified),
        ("word-for-no-token", _WordForNothing),
    ):
        fault_table(
            f"5.3-{_name}-with-bad-token",
            (f"{_name}-accepts-{_slug}", _class.__doc__ or "", type("Changed", (_class,), {"operation": _operation})),
            consequences=(
                *((_DELETED,) if _operation is Operation.DELETE else ()),
                *(("4.3-answers-ok",) if _operation is Operation.CREATE else ()),
                "4.1-refused-creates-nothing",
                "7-not-found",
            ),
        )
