"""Faults that further options show or must not hide: tokens, completion, an empty account, more calls, languages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from conformance.calibration.faults.common import DELETED, NAMES, is_completed, limited, taken_for
from conformance.calibration.operators import lenient, problem
from conformance.calibration.variant import Given, add_fault, fault
from conformance.model.target import Budget
from conformance.reference.call import Action, Call, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_COMMAND: Final = (Given.COMPLETE_COMMAND,)


def _accepting(operation: Action, given: Given) -> type[Service]:
    """Return the service that takes a token of the first user for a valid one, on one operation."""

    def user_of(service: Service, call: Call) -> User | None:
        config = service.config
        wrong = config.expired_token if given is Given.EXPIRED_TOKEN else config.foreign_token
        return config.users[0] if service.token(call) == wrong else None

    return taken_for(user_of, operation)


for _operation, _name in NAMES.items():
    for _given, _summary in (
        (Given.EXPIRED_TOKEN, "The service verifies the signature of a token, and not when it expires."),
        (
            Given.FOREIGN_TOKEN,
            "The service verifies the issuer of a token, and not that it is meant for this service.",
        ),
    ):
        add_fault(
            f"5.3-{_name}-with-bad-token",
            f"{_name}-accepts-{_given}",
            _summary,
            _accepting(_operation, _given),
            consequences=(
                *((DELETED,) if _operation is Action.DELETE else ()),
                *(("4.1-refused-creates-nothing",) if _operation is Action.CREATE else ()),
            ),
            given=(_given,),
        )


@fault("3-deletes-completed", "4.3-answers-ok", given=_COMMAND, source="3, table 2, row 1, From", at="delete")
def completed_by_the_organisation_stays(service: Service, call: Call) -> Reply | None:
    """A request that the organisation has completed can no longer be deleted, because it was answered."""
    conflict = problem(409, "Conflict", "The request is completed already.")
    return conflict if is_completed(service, call) else None


@fault("2.1-completedAt-value", given=_COMMAND, source="2.1, table, row 5, Meaning", of="document")
def completed_at_is_the_beginning_of_time(_service: Service, shown: Any, *_: object) -> Any:
    """The database has no column for the time of completion, so that completedAt is its default of 1970."""
    return shown | {"completedAt": "1970-01-01T00:00:00Z"} if shown["isCompleted"] else shown


_ONE_LESS = limited(lambda held, limit: held < limit - 1)


@fault("8-accepts-up-to-limit", "7-limit-reached", given=(Given.RESET_COMMAND,), source="8, table, row 1")
class _EmptiedAccountHasOnePlaceLess(_ONE_LESS):  # type: ignore[misc, valid-type]
    """The limit is compared with >= against the number that includes the new request."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        user = config.users[0].name
        self.store.add(DataRequest("left-over", user, self.now() - timedelta(days=1), (self.types[0].type,)))


add_fault(
    "8-accepts-up-to-limit",
    "two-hundred-are-one-place-less",
    "The same where the limit needs more creations than a run usually makes.",
    _ONE_LESS,
    max_requests=210,
    run={"budget": Budget(max_created=500)},
    source="8, table, row 1",
)
add_fault(
    "7-invalid-data-types",
    "one-type-keeps-its-old-name",
    "One type was renamed to its plural, and the old name still creates requests: most seeds try another type.",
    lenient(lambda name, _known: ["contact-details" if name == "contact-detail" else name]),
    run={"budget": Budget(max_created=2_000, thorough=True)},
    source="7, table, row 2, Condition",
)
