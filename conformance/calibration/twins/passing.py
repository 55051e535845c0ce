"""Twins that change during a run: the specification does not say how long tokens and data types are valid."""

from __future__ import annotations

from conformance.calibration.sources import OAUTH_LIFETIME
from conformance.calibration.twins.common import UNDECIDED
from conformance.calibration.variant import Acceptable, twin
from conformance.reference.call import Call, Reply
from conformance.reference.config import User
from conformance.reference.service import Service

_REFUSED: Acceptable = {"5.1-accepts-bearer": ("inconclusive",)}
"""The specification does not show whether a refused token has expired (5.5)."""


class _Expiring(Service):
    """Accepts the tokens of the users named in `whose` for the first `calls` with any of them."""

    calls: int
    whose: tuple[str, ...] = ("alice.example", "bob.example")

    def accept(self, token: str) -> User | None:
        user = super().accept(token)
        if user is not None and user.name in self.whose and self.turn("calls with a token") >= self.calls:
            return None
        return user


@twin(
    "5.5",
    _REFUSED
    | {
        "4.1-requested-types": UNDECIDED,
        "4.1-empty-body-labelled": UNDECIDED,
        "3-removed": ("inconclusive",),
        "3-deletes-completed": UNDECIDED,
        "8-completed-do-not-count": UNDECIDED,
    },
    source=OAUTH_LIFETIME,
)
class _TokensExpireInTheMiddle(_Expiring):
    """Both tokens expire in the middle of the run."""

    calls = 200


@twin(
    "5.5",
    _REFUSED | dict.fromkeys(("3-deletes-completed", "8-completed-do-not-count"), UNDECIDED),
    source=OAUTH_LIFETIME,
)
class _OneTokenExpires(_Expiring):
    """The first user's token expires late in the run; the other user's does not."""

    calls = 280
    whose = ("alice.example",)


@twin("4.1", {"4.1-refused-creates-nothing": ("inconclusive",)}, source="4.5, paragraph 1")
class _TypeIsWithdrawnInTheMiddle(Service):
    """The service removes a data type from the list in the middle of the run."""

    async def shortcut(self, call: Call) -> Reply | None:
        if self.turn("calls") == 150:
            self.types = self.types[1:]
            self.type_names = frozenset(each.type for each in self.types)
        return await super().shortcut(call)
