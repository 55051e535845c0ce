"""Faults of clause 5.3: what is answered so that nobody learns of the service, and tokens that nobody has signed."""

from __future__ import annotations

import base64
import json

from conformance.calibration.variant import fault_table
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.config import User
from conformance.reference.errors import Condition
from conformance.reference.service import Service

_NAMES = {Operation.CREATE: "create", Operation.READ: "read", Operation.DELETE: "delete"}
_ERRORS = ("2.4-object", "2.4-error", "2.4-message", "7-unauthorized-error", "7-unauthorized-message")
_NOT_FOUND = ("7-not-found-error", "7-not-found-message")
_DELETED = "5.3-rejected-delete-deletes-nothing"


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


def _answering(operation: Operation, *, bad: bool, code: int, document: object) -> type[Service]:
    class Changed(Service):
        def refuse(self, condition: Condition, call: Call) -> Reply:
            given = super().refuse(condition, call)
            bent = condition is Condition.UNAUTHORIZED and call.operation is operation
            return Reply.json(document, code) if bent and bool(call.authorization) is bad else given

    return Changed


def _trusting(operation: Operation) -> type[Service]:
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
            (404, "Whoever has no valid token is told that there is nothing here.", {"error": "Not Found"}),
            (422, "The token library finds the header unprocessable.", {"msg": "Not enough segments"}),
            (200, "The answer is a success whose body says that it is none.", {"status": "error", "code": 401}),
            (407, "A status that sounds as if it were about authentication.", {"error": "Unauthorized"}),
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
            "A token says of itself that it is not signed, and is taken at its word.",
            _trusting(_operation),
        ),
        consequences=(
            *((_DELETED,) if _operation is Operation.DELETE else ()),
            "4.1-refused-creates-nothing",
            "7-not-found",
        ),
        users=_USERS,
    )
