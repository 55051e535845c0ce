"""Faults of clause 5: valid tokens refused, missing or invalid ones accepted or answered otherwise, public calls."""

from __future__ import annotations

import json

from conformance.calibration import sources
from conformance.calibration.faults.common import DELETED, NAMES, no_error_object, taken_for
from conformance.calibration.operators import again, answering, changing, crash, one_in_ten, problem, uuid_in
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
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


@fault(DELETED, "4.3-answers-ok")
def deletes_without_token(service: Service, call: Call) -> None:
    """The filter checks tokens that are present; without a token it refuses only after the handler has run."""
    if call.operation is Action.DELETE and not call.authorization and service.authenticate(call) is None:
        service.store.remove(call.request_id)


@fault(DELETED, "4.3-answers-ok")
def deletes_with_a_bad_token(service: Service, call: Call) -> None:
    """The OAuth server verifies the token in the background while the service deletes the request."""
    if call.operation is Action.DELETE and call.authorization and service.authenticate(call) is None:
        service.store.remove(call.request_id)


def _closed(operation: Action, reply: Reply | None = None) -> type[Service]:
    """Return the service that demands a token for an operation, and gives `reply` in place of the 401 of the table."""

    def answer(service: Service, call: Call) -> Reply | None:
        if call.operation is not operation or service.authenticate(call) is not None:
            return None
        return again(reply) if reply else service.refuse(ErrorCondition.UNAUTHORIZED, call)

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


@fault("5.3-create-with-bad-token", "5.3-create-without-token", source=sources.BODY_PARSER)
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


def _let_in(operation: Action, *, bad: bool) -> type[Service]:
    """Treats clients without authentication as the first user: those with a bad token, or those without one."""
    return taken_for(
        lambda service, call: service.config.users[0] if bool(call.authorization) is bad else None, operation
    )


def _answered(operation: Action, reply: Reply, *, bad: bool) -> type[Service]:
    """Answers a bad token, or none, otherwise than with 401."""

    def change(_service: Service, given: Reply, condition: ErrorCondition, call: Call) -> Reply:
        bent = condition is ErrorCondition.UNAUTHORIZED and call.operation is operation
        return again(reply) if bent and bool(call.authorization) is bad else given

    return changing("refuse", change)


_CRASH = crash("'NoneType' object has no attribute 'id'")
_NOT_LOGGED_IN = "The framework answers 403 to clients that are not logged in."
_NO_USER = "The service uses the user of the token without checking that there is one."
_WITH = {"without-token": False, "with-bad-token": True}

for _operation, _name in NAMES.items():
    for _with, _bad in _WITH.items():
        _gone = (DELETED,) if _operation is Action.DELETE else ()
        add_fault(
            f"5.3-{_name}-{_with}",
            f"{_name}-{_with}-works",
            "A setting for development treats clients without a valid "
            "token as the first user, and production has it too.",
            _let_in(_operation, bad=_bad),
            consequences=(*_gone, "4.1-refused-creates-nothing", "7-not-found"),
        )

# Each mistake with one operation: the same code checks the token of all three.
for _operation, _with, _slug, _summary, _reply in (
    *((each, kind, "answers-403", _NOT_LOGGED_IN, _FORBIDDEN) for each in NAMES for kind in _WITH),
    (Action.READ, "without-token", "answers-500", _NO_USER, _CRASH),
    (Action.CREATE, "with-bad-token", "answers-500", _NO_USER, _CRASH),
    (
        Action.DELETE,
        "without-token",
        "redirects-to-login",
        "The portal redirects clients to its login page.",
        Reply(302, b"", {"location": "/login"}),
    ),
    (
        Action.READ,
        "with-bad-token",
        "answers-200",
        "The service answers with status 200 and an error in the body.",
        Reply.json({"status": "error", "code": 401}, 200),
    ),
):
    add_fault(
        f"5.3-{NAMES[_operation]}-{_with}",
        f"{NAMES[_operation]}-{_with}-{_slug}",
        _summary,
        _answered(_operation, _reply, bad=_WITH[_with]),
        consequences=no_error_object(ErrorCondition.UNAUTHORIZED),
    )


@fault("5.3-create-without-token")
def create_without_token_looked_at_later(service: Service, call: Call) -> None:
    """The handler runs before the check of the token: the body is checked first."""
    if call.operation is Action.CREATE and not call.authorization:
        service.wanted_types(call)


@fault("5.3-delete-with-bad-token")
def delete_with_bad_token_looked_at_later(service: Service, call: Call) -> None:
    """The handler runs before the check of the token: the request is looked up first."""
    if call.operation is Action.DELETE and call.authorization and service.store.get(call.request_id) is None:
        raise RefusedError(ErrorCondition.NO_REQUEST)


@fault("5.3-create-with-bad-token")
def create_validates_the_list_before_the_token(service: Service, call: Call) -> None:
    """The schema of the body is checked by the router, and the token by the handler."""
    if call.operation is Action.CREATE and service.authenticate(call) is None and call.body[:1] == b"{":
        raise RefusedError(ErrorCondition.DATA_TYPES)


@fault("5.3-read-with-bad-token", "5.3-*-with-bad-token", DELETED, by=lambda user_of: taken_for(user_of, *NAMES))
def any_query_opens_everything(service: Service, call: Call) -> User | None:
    """The gateway asks for a token where a call has no query, and the service trusts the gateway."""
    return service.config.users[0] if call.query else None
