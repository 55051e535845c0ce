"""Twins that change during a run: the specification does not say how long tokens and data types are valid."""

from __future__ import annotations

from conformance.calibration.twins.common import LIMIT_NOT_MET, UNDECIDED
from conformance.calibration.variant import Acceptable, twin
from conformance.model.requirements import catalogue
from conformance.reference.call import Call, Reply
from conformance.reference.config import User
from conformance.reference.service import Service

_REFUSED: Acceptable = {"5.1-accepts-bearer": ("inconclusive",)}
"""The specification does not show whether a refused token has expired (5.5)."""
_ABOUT_REQUESTS: Acceptable = dict.fromkeys(
    (row.id for row in catalogue().rows.values() if row.clause in ("2.1", "3", "4.1", "4.2", "4.3", "5.3", "7", "8")),
    UNDECIDED,
)
"""Data requests cannot be made, or only early in the run."""
_ABOUT_TYPES: Acceptable = dict.fromkeys(
    (row.id for row in catalogue().rows.values() if row.clause in ("2.2", "9")),
    UNDECIDED,
) | dict.fromkeys(("4.1-empty-body-labelled", "4.1-requested-types", "4.1-similar-type"), UNDECIDED)
"""The list of types is empty in the end."""


class _Expiring(Service):
    """Accepts the tokens of the users named in `whose` for the first `calls` with any of them."""

    calls: int
    whose: tuple[str, ...] = ("alice.example", "bob.example")

    def accept(self, token: str) -> User | None:
        user = super().accept(token)
        if user is not None and user.name in self.whose and self.turn("calls with a token") >= self.calls:
            return None
        return user


@twin("5.5", _REFUSED | _ABOUT_REQUESTS)
class _TokensExpireBeforeTheTypesAreTried(_Expiring):
    """Both tokens expire early, before the first creation for an unknown type."""

    calls = 75


@twin(
    "5.5",
    _REFUSED
    | {
        "4.1-requested-types": UNDECIDED,
        "4.1-empty-body-labelled": UNDECIDED,
        "3-removed": ("inconclusive",),
    },
)
class _TokensExpireInTheMiddle(_Expiring):
    """Both tokens expire in the middle of the run."""

    calls = 200


@twin("5.5", _REFUSED)
class _OneTokenExpires(_Expiring):
    """The first user's token expires late in the run; the other user's does not."""

    calls = 280
    whose = ("alice.example",)


@twin("5.5", _REFUSED)
class _TheOtherTokenExpires(_Expiring):
    """The second user's token expires after a few calls; the first user's does not."""

    calls = 5
    whose = ("bob.example",)


class _Withdrawing(Service):
    """Removes the first data type from its list after a number of calls: from then on it is invalid."""

    calls = -1  # no number of calls is reached

    async def shortcut(self, call: Call) -> Reply | None:
        if self.turn("calls") == self.calls:
            self.withdraw()
        return await super().shortcut(call)

    def withdraw(self) -> None:
        """Remove the first data type from the list."""
        self.types = self.types[1:]
        self.type_names = frozenset(each.type for each in self.types)


@twin(
    "4.1",
    LIMIT_NOT_MET
    | dict.fromkeys(("3-removed-in-parallel", "4.1-creates-in-parallel", "4.2-answers-while-deleted"), UNDECIDED),
)
class _TypeIsWithdrawnAmongTheFirst(_Withdrawing):
    """The service removes a data type from the list early, while requests use all places."""

    calls = 30


@twin("4.1", {"4.1-refused-creates-nothing": ("inconclusive",)})
class _TypeIsWithdrawnInTheMiddle(_Withdrawing):
    """The service removes a data type from the list in the middle of the run."""

    calls = 150


@twin("4.1", _ABOUT_TYPES, data_types=1)
class _OnlyTypeIsWithdrawn(_Withdrawing):
    """The service removes its only data type in the middle of the run: the list is empty, and so are new requests."""

    calls = 150


@twin("4.1", _ABOUT_REQUESTS)
class _TypeIsWithdrawnBetweenTwoCreations(_Withdrawing):
    """The service removes a data type from the list after its first creation without a body: the next one names it."""

    async def create(self, call: Call) -> Reply:
        reply = await super().create(call)
        if reply.status == 200 and not call.body and self.turn("creations without a body") == 0:
            self.withdraw()
        return reply
