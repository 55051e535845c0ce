"""Twins with other limits, completions and clocks: clauses 3 and 8."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from conformance.reference.bend import Acceptable, twin
from conformance.reference.call import Call, Operation
from conformance.reference.config import ReferenceConfig
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_UNDECIDED: tuple[str, ...] = ("inconclusive", "not-applicable")
_LIMIT_ROWS = (
    "7-limit-reached",
    "7-limit-reached-error",
    "7-limit-reached-message",
    "8-limit-enforced",
    "8-limit-enforced-in-parallel",
    "8-accepts-up-to-limit",
    "8-completed-do-not-count",
    "3-frees-the-limit",
    "4.1-refused-creates-nothing",
)
_LIMIT_NOT_MET: Acceptable = dict.fromkeys(_LIMIT_ROWS, _UNDECIDED)
_ONE_PLACE: Acceptable = dict.fromkeys(("3-deletes-no-other", "8-limit-enforced-in-parallel"), _UNDECIDED)
_NOT_IN_PROGRESS: Acceptable = dict.fromkeys(
    ("3-in-progress-no-completedAt", "4.2-answers-200", "4.2-object", "4.2-agrees-with-creation"), _UNDECIDED
)


def _plain(clause: str, name: str, text: str, acceptable: Acceptable, **config: object) -> None:
    twin(clause, acceptable, name=name, **config)(type("_Bent", (Service,), {"__doc__": text}))


_plain("8", "limit-of-one", "One request at a time.", _ONE_PLACE, max_requests=1)
_plain("8", "limit-of-two", "Two requests at a time.", {}, max_requests=2)
_plain(
    "8",
    "limit-of-forty",
    "Forty requests at a time, more than a run may want to make.",
    _LIMIT_NOT_MET,
    max_requests=40,
)
_plain("8", "limit-of-two-million", "A limit that nobody ever meets.", _LIMIT_NOT_MET, max_requests=2_000_000)
_plain(
    "3",
    "completes-at-once",
    "Requests are completed when they are created, and can be read.",
    _LIMIT_NOT_MET | _NOT_IN_PROGRESS,
    complete_after=0.0,
)
_plain(
    "4.2",
    "completes-at-once-and-is-gone",
    "Requests are completed when they are created; reading one answers 404, deleting it works.",
    _LIMIT_NOT_MET | _NOT_IN_PROGRESS | {"3-deletes-no-other": _UNDECIDED, "3-removed": _UNDECIDED},
    complete_after=0.0,
    completed_readable=False,
)
_plain(
    "3",
    "completes-after-a-moment",
    "Requests are completed fifty milliseconds after they are created.",
    _LIMIT_NOT_MET | _NOT_IN_PROGRESS,
    complete_after=0.05,
)
_plain(
    "4.2",
    "completes-after-a-moment-and-is-gone",
    "Requests are completed after fifty milliseconds, and answer 404 when they are read from then on.",
    _LIMIT_NOT_MET | _NOT_IN_PROGRESS | {"3-deletes-no-other": _UNDECIDED, "3-removed": _UNDECIDED},
    complete_after=0.05,
    completed_readable=False,
)
_plain("2.1", "clock-four-minutes-fast", "The clock is four minutes fast.", {}, clock_offset=240.0)
_plain("2.1", "clock-four-minutes-slow", "The clock is four minutes slow.", {}, clock_offset=-240.0)
_plain("4", "served-at-the-root", "The base address has no path.", {}, path_prefix="")
_plain("4", "served-deep-below", "The base address has a long path.", {}, path_prefix="/a.b/~c/d-e_f/v1.0")


@twin("2.1", _LIMIT_NOT_MET | _NOT_IN_PROGRESS, complete_after=0.0)
class _CompletedWithoutMoment(Service):
    """Requests are completed at once, and the optional completedAt is not there."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        document = super().document(request, call)
        document.pop("completedAt", None)
        return document


class _InUse(Service):
    """The account holds requests that were made elsewhere."""

    held = 1

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        for user in config.users:
            for number in range(self.held):
                made = self.now() - timedelta(days=1 + number)
                names = tuple(each.type for each in self.types)
                self.store.add(DataRequest(self.new_id(Call(Operation.CREATE)), user.name, made, names))


_SHARED: Acceptable = dict.fromkeys(
    ("8-accepts-up-to-limit", "8-limit-enforced", "8-limit-enforced-in-parallel", "4.1-refused-creates-nothing"),
    ("inconclusive",),
)


@twin("8", _SHARED)
class _AccountPartlyInUse(_InUse):
    """The account holds a request that the run did not make, and it counts."""


@twin("8", _LIMIT_NOT_MET | _ONE_PLACE)
class _AccountAlmostFull(_InUse):
    """The account holds all but one of the requests that it may hold."""

    held = 2


@twin("8", _SHARED)
class _LimitSharedByUsers(Service):
    """The limit is for the organisation as a whole: the requests of all users count."""

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:  # noqa: ARG002 whoever asks
        held = [each for each in existing if each.completed_at(self.now()) is None]
        return len(held) < self.config.max_requests
