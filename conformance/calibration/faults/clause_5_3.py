"""Faults of clause 5.3: the answer to a missing or an invalid token."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

from conformance.calibration.faults.common import DELETED, NAMES, no_error_object, taken_for
from conformance.calibration.operators import answering, changing
from conformance.calibration.variant import add_fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.config import User
from conformance.reference.service import Service

_UNAUTHORIZED = no_error_object(ErrorCondition.UNAUTHORIZED)


def _let_in(operation: Action, *, bad: bool) -> type[Service]:
    """Treats clients without authentication as the first user: those with a bad token, or those without one."""
    return taken_for(
        lambda service, call: service.config.users[0] if bool(call.authorization) is bad else None, operation
    )


def _answered(operation: Action, reply: Reply, *, bad: bool) -> type[Service]:
    """Answers a bad token, or none, otherwise than with 401."""

    def change(_service: Service, given: Reply, condition: ErrorCondition, call: Call) -> Reply:
        bent = condition is ErrorCondition.UNAUTHORIZED and call.operation is operation
        return replace(reply, headers={**reply.headers}) if bent and bool(call.authorization) is bad else given

    return changing("refuse", change)


def _looked_at_first(operation: Action, *, bad: bool) -> type[Service]:
    """Reads the body or looks up the request before it checks the token."""

    def answer(service: Service, call: Call) -> Reply | None:
        if call.operation is operation and bool(call.authorization) is bad:
            if operation is Action.CREATE:
                service.wanted_types(call)
            elif service.store.get(call.request_id) is None:
                raise RefusedError(ErrorCondition.NO_REQUEST)
        return None

    return answering(answer)


_FORBIDDEN = Reply.json({"error": "Forbidden", "message": "Access is denied."}, 403)
_LOGIN = Reply(302, b"", {"location": "/login"})
_CRASH = Reply.json({"error": "Internal Server Error", "message": "'NoneType' object has no attribute 'id'"}, 500)
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
    (Action.DELETE, "without-token", "redirects-to-login", "The portal redirects clients to its login page.", _LOGIN),
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
        consequences=_UNAUTHORIZED,
    )
for _operation, _with, _first in (
    (Action.CREATE, "without-token", "the body is checked"),
    (Action.DELETE, "with-bad-token", "the request is looked up"),
):
    add_fault(
        f"5.3-{NAMES[_operation]}-{_with}",
        f"{NAMES[_operation]}-{_with}-looked-at-later",
        f"The handler runs before the check of the token: {_first} first.",
        _looked_at_first(_operation, bad=_WITH[_with]),
    )


def _list_first(service: Service, call: Call) -> Reply | None:
    if call.operation is Action.CREATE and service.authenticate(call) is None and call.body[:1] == b"{":
        raise RefusedError(ErrorCondition.DATA_TYPES)
    return None


add_fault(
    "5.3-create-with-bad-token",
    "create-validates-the-list-before-the-token",
    "The schema of the body is checked by the router, and the token by the handler.",
    answering(_list_first),
)
add_fault(
    "5.3-read-with-bad-token",
    "any-query-opens-everything",
    "The gateway asks for a token where a call has no query, and the service trusts the gateway.",
    taken_for(lambda service, call: service.config.users[0] if call.query else None, *NAMES),
    consequences=("5.3-create-with-bad-token", "5.3-delete-with-bad-token", DELETED),
)


def _segment(values: dict[str, str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def _signed(name: str, signature: str) -> User:
    return User(name, f"{_segment({'alg': 'HS256', 'typ': 'JWT'})}.{_segment({'sub': name})}.{signature}")


_USERS = (
    _signed("alice.example", "sXb0Qm7xT2vKp9RzW4nLdE1hGjYcUaOi"),
    _signed("bob.example", "Yh3cF8jSd5GtB6uEw0Qe9RkMnVbZxLpA"),
)


def _decoded(part: str) -> dict[str, str]:
    try:
        values = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def _trusting(operation: Action) -> type[Service]:
    class Changed(Service):
        def accept(self, token: str) -> User | None:
            header, _, rest = token.partition(".")
            claims, _, signature = rest.partition(".")
            unsigned = not signature and _decoded(header).get("alg", "").lower() == "none"
            named = (user for user in self.config.users if user.name == _decoded(claims).get("sub"))
            return super().accept(token) or (next(named, None) if unsigned else None)

        def authenticate(self, call: Call) -> User | None:
            token = self.token(call)
            return super().authenticate(call) if call.operation is operation or not token else super().accept(token)

    return Changed


add_fault(
    "5.3-read-with-bad-token",
    "read-accepts-unsigned-token",
    "A token declares that it is not signed, and the service believes it.",
    _trusting(Action.READ),
    consequences=("4.1-refused-creates-nothing", "7-not-found"),
    users=_USERS,
)
