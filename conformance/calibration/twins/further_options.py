"""Twins that are run with further options: completion, more tokens, an account made empty, more creations."""

from __future__ import annotations

from typing import Any, Final

from conformance.calibration.twins.limits import InUse
from conformance.calibration.variant import Acceptable, Given, add_twin, twin
from conformance.model.target import Budget
from conformance.reference.call import Call, ErrorCondition, RefusedError, Reply
from conformance.reference.config import User
from conformance.reference.service import Service

_COMMAND: Final = (Given.COMPLETE_COMMAND,)
_UNSHOWN: Acceptable = {"2.1-completedAt-value": ("not-applicable",)}


@twin("3", given=_COMMAND, source="3, paragraph 2")
class _CompletedByTheOrganisation(Service):
    """Requests complete only when the organisation completes them."""


@twin("4.2", _UNSHOWN, given=_COMMAND, completed_readable=False, source="4.2, paragraph 1")
class _CompletedByTheOrganisationAndGone(Service):
    """A request that the organisation has completed can only be deleted, not read."""


@twin("2.1", _UNSHOWN, given=_COMMAND, source="2.1, table, row 5, Required", of="document")
def completed_at_an_unknown_time(_service: Service, shown: Any, *_: object) -> Any:
    """A completed request has no completedAt: the field is optional."""
    return {name: value for name, value in shown.items() if name != "completedAt"}


@twin("5", given=_COMMAND, alerts=("5-isolation",), source="5, item 1", at="read")
def completed_requests_are_shared(service: Service, call: Call) -> Reply | None:
    """What is completed may be read by every user who has the link."""
    request = service.store.get(call.request_id)
    if request is not None and call.user is not None and request.completed_at(service.now()):
        call.user = User(request.owner, call.user.token)
    return None


@twin("5.3", given=(Given.EXPIRED_TOKEN, Given.FOREIGN_TOKEN), source="5, item 5", of="authenticate")
def refuses_expired_and_foreign_tokens(service: Service, user: Any, call: Call) -> Any:
    """The service knows a token that has expired and one for another service, and refuses both as any other."""
    if service.token(call) in (service.config.expired_token, service.config.foreign_token):
        raise RefusedError(ErrorCondition.UNAUTHORIZED)
    return user


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
