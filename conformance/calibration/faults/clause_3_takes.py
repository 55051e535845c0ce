"""Faults of clause 3: deletions that name nothing, and take what is there."""

from __future__ import annotations

from abc import ABC, abstractmethod

from conformance.calibration.variant import fault
from conformance.reference.call import Call, Reply
from conformance.reference.errors import RefusedError
from conformance.reference.service import Service


class _TakesTheNewest(Service, ABC):
    """Answers 404 to a deletion that names nothing, and removes the user's newest request all the same."""

    @abstractmethod
    def takes(self, held: int) -> bool:
        """Say whether it does with so many held."""

    async def delete(self, call: Call) -> Reply:
        try:
            return await super().delete(call)
        except RefusedError:
            mine = [each for each in self.store.all() if call.user is not None and each.owner == call.user.name]
            if self.takes(len(mine)):
                self.store.remove(mine[-1].id)
            raise


_ALSO = ("4.3-answers-ok", "4.2-answers-200", "7-not-found", "3-removed-in-parallel")


@fault("3-deletes-no-other", *_ALSO)
class _UnknownDeletionTakesTheNewestOfTwo(_TakesTheNewest):
    """The clean-up after a deletion that finds nothing closes the newest of a user's two open cases."""

    def takes(self, held: int) -> bool:
        return held == 2


@fault("3-deletes-no-other", *_ALSO)
class _UnknownDeletionTakesTheNewestOfAll(_TakesTheNewest):
    """The row is removed by its number, and the number of what is not found is that of the newest."""

    def takes(self, held: int) -> bool:
        return held > 0


@fault("3-deletes-no-other", *_ALSO)
class _UnknownDeletionTakesTheOnlyOne(_TakesTheNewest):
    """With one open case the identifier is not compared: the case is closed, and then not found."""

    def takes(self, held: int) -> bool:
        return held == 1
