"""Faults of clause 5: valid tokens refused, missing or invalid ones accepted or answered otherwise, public calls."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace

from conformance.calibration import sources
from conformance.calibration.faults.common import DELETED, NAMES, no_error_object, taken_for
from conformance.calibration.operators import answering, changing, crash, one_in_ten, problem, uuid_in
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


_PORTAL = Reply(302, b"", {"location": "/login"})
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
        _PORTAL,
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
    consequences=("5.3-*-with-bad-token", DELETED),
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


def _accepting(operation: Action, mistaken: Callable[[str, str, User], bool]) -> type[Service]:
    """Return the service that accepts more tokens than it should, on one operation.

    `mistaken` decides from the header, the given token and a user whether the service takes the client for this user.
    """

    def user_of(service: Service, call: Call) -> User | None:
        headers = call.authorization if len(call.authorization) == 1 else ()
        tried = ((header, header.partition(" ")[2], each) for header in headers for each in service.config.users)
        return next((user for header, given, user in tried if mistaken(header, given, user)), None)

    return taken_for(user_of, operation)


def _prefix(header: str, _given: str, user: User) -> bool:
    first = header.removeprefix("Bearer ")[:16]
    return len(first) == 16 and user.token.startswith(first)


_ANY_BAD = "5.3-*-with-bad-token"
_NOTHING = "4.1-refused-creates-nothing"
_PLACES = ("8-accepts-up-to-limit", "3-frees-the-limit")
_OTHER_OPERATION = ("4.3-answers-ok",)
# Each mistake with one operation: the same code checks the token of all three.
for _operation, _slug, _summary, _mistaken in (
    (
        Action.CREATE,
        "prefix-of-token",
        "The service compares the first sixteen characters only, because the column is that short.",
        _prefix,
    ),
    (
        Action.DELETE,
        "longer-token",
        "The service searches for the token anywhere in the header.",
        lambda header, _given, user: user.token in header,
    ),
    (
        Action.READ,
        "empty-token",
        "The service treats an empty token as no token, and no token as the default user.",
        lambda _header, given, _user: given.strip() == "",
    ),
    (
        Action.DELETE,
        "basic-credentials",
        "The service treats a client that sends Basic as the technical user and does not check the password.",
        lambda header, _given, _user: header.lower().startswith("basic "),
    ),
    (
        Action.CREATE,
        "word-for-no-token",
        'A client without a token sends "null", and the service has a user of that name for it.',
        lambda _header, given, _user: given in ("null", "undefined"),
    ),
    (
        Action.DELETE,
        "token-that-breaks-the-query",
        "A quote ends the text in the SQL of the look-up, and a look-up that fails returns the technical user.",
        lambda _header, given, _user: "'" in given,
    ),
    (
        Action.READ,
        "any-token-of-another-scheme",
        "The filter verifies what begins with Bearer, and leaves bearer to a filter that is not installed.",
        lambda header, _given, _user: header.startswith("bearer "),
    ),
):
    add_fault(
        f"5.3-{NAMES[_operation]}-with-bad-token",
        f"{NAMES[_operation]}-accepts-{_slug}",
        _summary,
        _accepting(_operation, _mistaken),
        consequences=(
            *((DELETED,) if _operation is Action.DELETE else ()),
            *(_OTHER_OPERATION if _operation is Action.CREATE else ()),
            _NOTHING,
            "7-not-found",
        ),
    )


for _operation in (Action.CREATE, Action.READ):
    add_fault(
        "5.3-letter-case",
        f"{NAMES[_operation]}-accepts-token-in-other-case",
        "The collation of the database ignores case when it compares tokens.",
        _accepting(
            _operation, lambda header, _given, user: header.removeprefix("Bearer ").lower() == user.token.lower()
        ),
        consequences=(*(_OTHER_OPERATION if _operation is Action.CREATE else ()), _NOTHING, "7-not-found"),
    )


@fault(DELETED, "4.3-answers-ok", source="5, item 3")
def deletes_for_token_cut_short(service: Service, call: Call) -> Reply | None:
    """The service removes the row of the user whose token has the same beginning, and compares the rest afterwards."""
    given = (call.authorization or ("",))[0].partition(" ")[2]
    request = service.store.get(call.request_id) if given and call.operation is Action.DELETE else None
    for user in service.config.users:
        is_cut = len(given) < len(user.token) and user.token.startswith(given[:8])
        if is_cut and request is not None and request.owner == user.name and service.authenticate(call) is None:
            service.store.remove(request.id)
    return None


@fault("5.3-read-with-bad-token", source=sources.JWT_DECODE, of="accept")
def token_of_the_second_user_unverified(service: Service, user: User | None, token: str) -> User | None:
    """The tokens of one of two issuers are decoded, but the signature at their end is not verified."""
    second = service.config.users[1]
    return user or (second if token.startswith(second.token[:-8]) else None)


@fault(
    "5.3-letter-case",
    DELETED,
    _NOTHING,
    *_PLACES,
    *_OTHER_OPERATION,
    "7-not-found",
    users=(
        User("alice.example", "0f8c6f2e-6d0b-4b1c-9a63-1d2fa0c4e9b7"),
        User("bob.example", "5b0a3a51-2c2f-4a07-8d1e-77a0b1aa93d4"),
    ),
    source=sources.MYSQL_CASE,
    of="accept",
)
def hexadecimal_tokens_compared_without_case(service: Service, _user: User | None, token: str) -> User | None:
    """Tokens are UUIDs in lower case, and the collation of the database ignores case when it compares them."""
    return Service.accept(service, token.lower())


@fault("5.3-create-with-bad-token", _ANY_BAD, "7-not-found", source=sources.ECMASCRIPT_PROTOTYPES, of="accept")
def names_of_methods_are_tokens(_service: Service, user: User | None, token: str) -> User | None:
    """A JavaScript object holds the users by their tokens: the names of the methods of every object find one too."""
    # What is found has no members of a user.
    inherited = token in ("constructor", "hasOwnProperty", "toString", "valueOf", "__proto__")
    return User("undefined", token) if inherited else user


def _comparison_of_strings(service: Service, call: Call) -> Reply | None:
    is_text = call.operation not in NAMES or (service.token(call) or "").isascii()
    return None if is_text else crash("comparing strings with non-ASCII characters is not supported")


add_fault(
    "5.3-create-with-bad-token",
    "letter-outside-ascii-crashes-the-comparison",
    "hmac.compare_digest takes no str with a letter outside ASCII, and frameworks read each byte as a letter.",
    answering(_comparison_of_strings),
    consequences=(_ANY_BAD,),
)


@fault("5.3-create-with-bad-token", _ANY_BAD, source=sources.DJANGO_CACHE_KEYS)
def long_token_is_no_key_of_the_cache(_service: Service, call: Call) -> Reply | None:
    """The users are cached by their tokens, and memcached takes no key of more than 250 characters."""
    is_long = call.operation in NAMES and any(len(each) > 250 for each in call.authorization)
    return crash("InvalidCacheKey") if is_long else None
