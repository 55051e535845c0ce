"""Faults of clause 5.3: the answer to a missing or an invalid token."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

from conformance.calibration.variant import fault_table
from conformance.reference.call import Action, Call, Reply
from conformance.reference.config import User
from conformance.reference.errors import ErrorCondition, RefusedError
from conformance.reference.service import Service

_NAMES = {Action.CREATE: "create", Action.READ: "read", Action.DELETE: "delete"}
_UNAUTHORIZED = ("2.4-object", "2.4-error", "2.4-message", "7-unauthorized-error", "7-unauthorized-message")
_DELETED = "5.3-rejected-delete-deletes-nothing"


Kind = Callable[[Call], bool]


def _no_token(call: Call) -> bool:
    return not call.authorization


def _bad_token(call: Call) -> bool:
    return bool(call.authorization)


def _let_in(operation: Action, kind: Kind) -> type[Service]:
    """Treats clients without authentication as the first user."""

    class Changed(Service):
        def authenticate(self, call: Call) -> User | None:
            user = super().authenticate(call)
            return self.config.users[0] if user is None and call.operation is operation and kind(call) else user

    return Changed


def _answered(operation: Action, kind: Kind, reply: Callable[[], Reply]) -> type[Service]:
    """Answers with another status than 401."""

    class Changed(Service):
        def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
            given = super().refuse(condition, call)
            bent = condition is ErrorCondition.UNAUTHORIZED and call.operation is operation and kind(call)
            return reply() if bent else given

    return Changed


def _looked_at_first(operation: Action, kind: Kind) -> type[Service]:
    """Reads the body or looks up the request before it checks the token."""

    class Changed(Service):
        async def shortcut(self, call: Call) -> Reply | None:
            if call.operation is operation and kind(call):
                if operation is Action.CREATE:
                    self.wanted_types(call)
                elif self.store.get(call.request_id) is None:
                    raise RefusedError(ErrorCondition.NO_REQUEST)
            return None

    return Changed


def _forbidden() -> Reply:
    return Reply.json({"error": "Forbidden", "message": "Access is denied."}, 403)


def _login() -> Reply:
    return Reply(302, b"", {"location": "/login"})


def _crash() -> Reply:
    return Reply.json({"error": "Internal Server Error", "message": "'NoneType' object has no attribute 'id'"}, 500)


def _bad_request() -> Reply:
    return Reply.json({"error": "invalid_request", "message": "The token is malformed."}, 400)


for _operation, _name in _NAMES.items():
    for _row, _with, _kind in (
        (f"5.3-{_name}-without-token", "without-token", _no_token),
        (f"5.3-{_name}-with-bad-token", "with-bad-token", _bad_token),
    ):
        _first = "the body is checked" if _operation is Action.CREATE else "the request is looked up"
        _gone = (_DELETED,) if _operation is Action.DELETE else ()
        fault_table(
            _row,
            (
                f"{_name}-{_with}-works",
                "A setting for development treats clients without a valid "
                "token as the first user, and production has it too.",
                _let_in(_operation, _kind),
            ),
            consequences=(*_gone, "4.1-refused-creates-nothing", "7-not-found"),
        )
        fault_table(
            _row,
            (
                f"{_name}-{_with}-answers-403",
                "The framework answers 403 to clients that are not logged in.",
                _answered(_operation, _kind, _forbidden),
            ),
            consequences=_UNAUTHORIZED,
        )
        fault_table(
            _row,
            (
                f"{_name}-{_with}-answers-500",
                "The service uses the user of the token without checking that there is one.",
                _answered(_operation, _kind, _crash),
            ),
            consequences=(*_UNAUTHORIZED, "0-server-errors"),
        )
        fault_table(
            _row,
            (
                f"{_name}-{_with}-looked-at-later",
                f"The handler runs before the check of the token: {_first} first.",
                _looked_at_first(_operation, _kind),
            ),
        )
    fault_table(
        f"5.3-{_name}-without-token",
        (
            f"{_name}-without-token-redirects-to-login",
            "The portal redirects clients that are not logged in to its login page.",
            _answered(_operation, _no_token, _login),
        ),
        consequences=_UNAUTHORIZED,
    )
    fault_table(
        f"5.3-{_name}-with-bad-token",
        (
            f"{_name}-with-bad-token-answers-400",
            "The service passes the error of the token parser on as a bad request.",
            _answered(_operation, _bad_token, _bad_request),
        ),
        consequences=_UNAUTHORIZED,
    )
_ERRORS = ("2.4-object", "2.4-error", "2.4-message", "7-unauthorized-error", "7-unauthorized-message")
_NOT_FOUND = ("7-not-found-error", "7-not-found-message")


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


def _answering(operation: Action, *, bad: bool, code: int, document: object) -> type[Service]:
    class Changed(Service):
        def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
            given = super().refuse(condition, call)
            bent = condition is ErrorCondition.UNAUTHORIZED and call.operation is operation
            return Reply.json(document, code) if bent and bool(call.authorization) is bad else given

    return Changed


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


for _operation, _name in _NAMES.items():
    for _row, _with, _bad in (
        (f"5.3-{_name}-without-token", "without-token", False),
        (f"5.3-{_name}-with-bad-token", "with-bad-token", True),
    ):
        for _code, _summary, _document in (
            (404, "The service hides from clients without a valid token that anything exists.", {"error": "Not Found"}),
            (422, "The token library reports the header as unprocessable.", {"msg": "Not enough segments"}),
            (200, "The service answers with status 200 and an error in the body.", {"status": "error", "code": 401}),
            (407, "The service chooses a status whose name mentions authentication.", {"error": "Unauthorized"}),
        ):
            fault_table(
                _row,
                (
                    f"{_name}-{_with}-answers-{_code}",
                    _summary,
                    _answering(_operation, bad=_bad, code=_code, document=_document),
                ),
                consequences=(*_ERRORS, *_NOT_FOUND),
            )
    fault_table(
        f"5.3-{_name}-with-bad-token",
        (
            f"{_name}-accepts-unsigned-token",
            "A token declares that it is not signed, and the service believes it.",
            _trusting(_operation),
        ),
        consequences=(
            *((_DELETED,) if _operation is Action.DELETE else ()),
            "4.1-refused-creates-nothing",
            "7-not-found",
        ),
        users=_USERS,
    )
