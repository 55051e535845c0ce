"""Faults of clauses 5.1, 5.3 and 5.4: valid tokens refused, calls judged before the token, tokens on public calls."""

from __future__ import annotations

import json
from dataclasses import replace

from conformance.calibration import sources
from conformance.calibration.faults.common import DELETED, NAMES
from conformance.calibration.operators import answering, changing, crash, one_in_ten, problem, uuid_in
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.config import User
from conformance.reference.service import Service

_BEARER = "5.1-accepts-bearer"

# ---------------------------------------------------------------------- the token is not accepted


def _not_accepted(*operations: Action) -> type[Service]:
    return changing("authenticate", lambda _, user, call: None if call.operation in operations else user)


_BROKEN = {
    Action.CREATE: ("4.1-answers-200", "4.1-body-omitted", "4.1-requested-types"),
    Action.READ: ("4.2-answers-200", "7-not-found", "3-removed"),
    Action.DELETE: ("4.3-answers-ok", "7-not-found", "3-removed"),
}
for _operation, _name in NAMES.items():
    add_fault(
        _BEARER,
        f"bearer-not-accepted-on-{_name}",
        f"The middleware that reads the token is not installed on the route to {_name}.",
        _not_accepted(_operation),
        consequences=_BROKEN[_operation],
    )


# A service that accepts the token in another place or scheme only looks like one that received a wrong token.
# Such a run ends at its start: no fault of this kind exists.

_ALL_BROKEN = tuple(dict.fromkeys(each for rows in _BROKEN.values() for each in rows))


@fault(_BEARER, *_ALL_BROKEN, source="5, item 1, sentence 2", of="authenticate")
def bearer_refused_in_one_of_ten(service: Service, user: User | None, call: Call) -> User | None:
    """One of the nodes has an old key and rejects every signature."""
    return None if user and call.operation in NAMES and one_in_ten(service.turn(call.operation)) else user


def _deletes_first(*, token: bool) -> type[Service]:
    """Return the service that removes the request before it refuses a call with or without a token."""

    def answer(service: Service, call: Call) -> Reply | None:
        refused = service.authenticate(call) is None and bool(call.authorization) is token
        if call.operation is Action.DELETE and refused:
            service.store.remove(call.request_id)
        return None

    return answering(answer)


for _name, _summary, _service in (
    (
        "deletes-without-token",
        "The filter checks tokens that are present; without a token it refuses only after the handler has run.",
        _deletes_first(token=False),
    ),
    (
        "deletes-with-a-bad-token",
        "The OAuth server verifies the token in the background while the service deletes the request.",
        _deletes_first(token=True),
    ),
):
    add_fault(DELETED, _name, _summary, _service, consequences=("4.3-answers-ok",))


def _closed(operation: Action, reply: Reply | None = None) -> type[Service]:
    """Return the service that demands a token for an operation, and gives `reply` in place of the 401 of the table."""

    def answer(service: Service, call: Call) -> Reply | None:
        if call.operation is not operation or service.authenticate(call) is not None:
            return None
        return replace(reply, headers={**reply.headers}) if reply else service.refuse(ErrorCondition.UNAUTHORIZED, call)

    return answering(answer)


_FORBIDDEN = problem(403, "Forbidden", "Access is denied.")
_LOGIN = Reply(302, b"", {"location": "https://auth.shop.example/login"})

for _operation, _row, _subject, _also in (
    (Action.SETTINGS, "5.4-settings-without-token", "settings", ("4.4-answers-200",)),
    (Action.DATA, "5.4-data-without-token", "data-types", ("4.5-answers-200",)),
):
    for _name, _summary, _service in (
        (f"{_subject}-want-a-token", "The framework denies every path by default.", _closed(_operation)),
        (f"{_subject}-forbidden-without-token", "The firewall requires a token.", _closed(_operation, _FORBIDDEN)),
        (
            f"{_subject}-redirect-to-login-without-token",
            "The portal redirects clients that are not logged in to its login page.",
            _closed(_operation, _LOGIN),
        ),
    ):
        add_fault(_row, _name, _summary, _service, consequences=_also)

_BAD = "5.3-create-with-bad-token"


@fault(_BAD, "5.3-create-without-token", source=sources.BODY_PARSER)
def labelled_json_parsed_before_the_token(_service: Service, call: Call) -> Reply | None:
    """The service parses bodies with a JSON media type before it checks the token."""
    if call.operation is Action.CREATE and call.body and "json" in call.headers.get("content-type", "").lower():
        try:
            json.loads(call.body)
        except ValueError:
            return problem(422, "Bad Request", "Validation failed.")
    return None


@fault("5.3-read-without-token", "5.3-delete-without-token", source=sources.DJANGO_CONVERTERS)
def identifier_parsed_before_the_token(_service: Service, call: Call) -> Reply | None:
    """The framework converts the identifier to a UUID before it checks the token."""
    is_odd = call.operation is Action.READ and uuid_in(call.request_id) is None
    return problem(400, "Bad Request", "Validation failed.") if is_odd else None


@fault("5.3-read-with-bad-token", source=sources.JWT_DECODE)
def token_in_three_parts_crashes(service: Service, call: Call) -> Reply | None:
    """The service parses a token of three parts as a JWT and does not handle parts that are not JSON."""
    parts = (call.authorization or ("",))[0].split(".")
    is_decoded = call.operation is Action.READ and len(parts) == 3 and service.authenticate(call) is None
    return crash("Unexpected token in JSON") if is_decoded else None
