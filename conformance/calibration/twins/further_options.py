"""Twins that are run with further options: completion, more tokens, an account made empty, more creations."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final

from conformance.calibration.twins.common import ONE_PLACE
from conformance.calibration.twins.limits import InUse
from conformance.calibration.variant import Acceptable, Given, add_twin, twin
from conformance.model.target import Budget
from conformance.reference.call import Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_COMMAND: Final = (Given.COMPLETE_COMMAND,)
_UNSHOWN: Acceptable = {"2.1-completedAt-value": ("not-applicable",)}


@twin("3", given=_COMMAND)
class _CompletedByTheOrganisation(Service):
    """Requests complete only when the organisation completes them."""


@twin("4.2", _UNSHOWN, given=_COMMAND, completed_readable=False)
class _CompletedByTheOrganisationAndGone(Service):
    """A request that the organisation has completed can only be deleted, not read."""


@twin("2.1", _UNSHOWN, given=_COMMAND)
class _CompletedAtAnUnknownTime(Service):
    """A completed request has no completedAt: the field is optional."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        shown = super().document(request, call)
        return {name: value for name, value in shown.items() if name != "completedAt"}


@twin("2.1", given=_COMMAND)
class _CompletedAtTheDayOnly(Service):
    """completedAt is the day of the completion at midnight."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        shown = super().document(request, call)
        moment = request.completed_at(self.now())
        day = "" if moment is None else self.timestamp(moment.replace(hour=0, minute=0, second=0, microsecond=0))
        return shown | {"completedAt": day} if day else shown


@twin("3", given=_COMMAND)
class _CompletedByANightlyJob(Service):
    """The command of the organisation only marks a request: a job completes it some seconds later."""

    marked = cached_property(lambda _: dict[str, datetime]())

    def complete_request(self, request_id: str) -> None:
        self.marked[request_id] = self.now()

    def read(self, call: Call) -> Reply:
        if self.now() - self.marked.get(call.request_id, self.now()) > timedelta(seconds=4):
            super().complete_request(call.request_id)
        return super().read(call)


@twin("4.3", ONE_PLACE, given=_COMMAND, max_requests=1)
class _CompletedByTheOrganisationBesideOnePlace(Service):
    """The same with a limit of one request in progress."""


@twin("5.3", given=(Given.EXPIRED_TOKEN, Given.FOREIGN_TOKEN))
class _RefusesExpiredAndForeignTokens(Service):
    """The service knows a token that has expired and one for another service, and refuses both as any other."""

    def authenticate(self, call: Call) -> Any:
        if self.token(call) in (self.config.expired_token, self.config.foreign_token):
            raise RefusedError(ErrorCondition.UNAUTHORIZED)
        return super().authenticate(call)


add_twin(
    "8",
    "account-full-before-its-reset",
    "Requests of an earlier day use all of the account's places, until the tester's command removes them.",
    service=type("_Full", (InUse,), {"held": 3}),
    given=(Given.RESET_COMMAND,),
)
add_twin(
    "8",
    "limit-of-seventy",
    "Seventy requests at a time, with a budget of creations that suffices.",
    max_requests=70,
    run={"budget": Budget(max_created=380)},
)
add_twin(
    "3",
    "completes-while-the-run-waits",
    "A request completes a second after its creation, and the run waits for it.",
    complete_after=1.0,
    run={"budget": Budget(await_completion=2.0)},
)
