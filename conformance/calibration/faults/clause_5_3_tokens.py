"""Faults of clause 5.3: the service accepts an invalid token, or acts on it before it refuses it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from conformance.calibration.operators import on_refusal, one_in_ten, status
from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.config import User
from conformance.reference.errors import Condition
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
_NOTHING = "4.1-refused-creates-nothing"
_PLACES = ("8-accepts-up-to-limit", "3-frees-the-limit")


class _Mistaking(Service, ABC):
    """Takes a credential that is nearly right for that of its user, on one operation."""

    operation: Operation

    def authenticate(self, call: Call) -> User | None:
        user = super().authenticate(call)
        if user is None and call.operation is self.operation and len(call.authorization) == 1:
            given = call.authorization[0].partition(" ")[2]
            return next((each for each in self.config.users if given and self.same(given, each.token)), None)
        return user

    @abstractmethod
    def same(self, given: str, token: str) -> bool:
        """Say whether what is given is mistaken for the token."""


class _AsFarAsItGoes(_Mistaking):
    """As many characters are compared as were sent: the beginning of a token will do."""

    def same(self, given: str, token: str) -> bool:
        return token.startswith(given)


class _BothEnds(_Mistaking):
    """A token is found by its first and last characters, and what it says in between is believed unverified."""

    def same(self, given: str, token: str) -> bool:
        return len(given) == len(token) and (given[:6], given[-9:]) == (token[:6], token[-9:])


for _operation, _name in _NAMES.items():
    _also = (_DELETED,) if _operation is Operation.DELETE else ()
    for _slug, _near in (("token-cut-short", _AsFarAsItGoes), ("token-altered-in-its-middle", _BothEnds)):
        fault_table(
            f"5.3-{_name}-with-bad-token",
            (f"{_name}-accepts-{_slug}", _near.__doc__ or "", type("Changed", (_near,), {"operation": _operation})),
            consequences=(*_also, _NOTHING, "7-not-found"),
        )


def _crashing(operation: Operation, *, token: bool) -> type[Service]:
    bent = on_refusal(status(500), Condition.UNAUTHORIZED, when=one_in_ten)

    class Changed(bent):  # type: ignore[misc, valid-type] # a class that is made above
        def finish(self, reply: Reply, call: Call) -> Reply:
            concerned = call.operation is operation and bool(call.authorization) is token
            return super().finish(reply, call) if concerned else reply

    return Changed


for _operation, _name in _NAMES.items():
    for _kind, _with_token in (("without-token", False), ("with-bad-token", True)):
        fault_table(
            f"5.3-{_name}-{_kind}",
            (
                f"{_name}-{_kind}-answers-500-in-one-of-ten",
                "The connection to the OAuth server is lost now and then, and nobody handles that.",
                _crashing(_operation, token=_with_token),
            ),
            consequences=("0-server-errors",),
        )


class _ForANearlyRightToken(Service):
    """Knows whose token a credential resembles."""

    def resembled(self, call: Call) -> User | None:
        """Return the user whose token begins as the one that is refused."""
        given = (call.authorization or ("",))[0].partition(" ")[2][:8]
        refused = bool(given) and self.authenticate(call) is None
        return next((each for each in self.config.users if refused and each.token.startswith(given)), None)


@fault(_NOTHING, *_PLACES)
class _CreationWithAlteredTokenUsesPlace(_ForANearlyRightToken):
    """The session is found by the first characters of the token and a place taken; then the signature is verified."""

    async def shortcut(self, call: Call) -> Reply | None:
        user = self.resembled(call)
        if call.operation is Operation.CREATE and user is not None:
            owner = Call(Operation.CREATE, user=user)
            self.store.add(self.new_request((), owner))
        return None


@fault(_DELETED)
class _DeletesForTokenCutShort(_ForANearlyRightToken):
    """The row is removed for the owner whose token begins like that; the rest of it is compared afterwards."""

    async def shortcut(self, call: Call) -> Reply | None:
        user = self.resembled(call)
        request = self.store.get(call.request_id)
        if call.operation is Operation.DELETE and user is not None and request is not None:
            given = call.authorization[0].partition(" ")[2]
            if request.owner == user.name and len(given) < len(user.token):
                self.store.remove(request.id)
        return None
