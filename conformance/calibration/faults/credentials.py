"""Faults of clauses 4.1 and 5.3: credentials that are nearly right, and what is done for them before the refusal."""

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
    for _slug, _class in (("token-cut-short", _AsFarAsItGoes), ("token-altered-in-its-middle", _BothEnds)):
        fault_table(
            f"5.3-{_name}-with-bad-token",
            (f"{_name}-accepts-{_slug}", _class.__doc__ or "", type("Changed", (_class,), {"operation": _operation})),
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
