"""Faults of clause 5.3 in what a service reads of a token."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import partial

from conformance.calibration import sources
from conformance.calibration.faults.common import DELETED, NAMES, taken_for
from conformance.calibration.operators import crash
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call, Reply
from conformance.reference.config import User
from conformance.reference.service import Service


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


@fault("5.3-read-with-bad-token", "4.1-refused-creates-nothing", "7-not-found", users=_USERS, of="authenticate")
def read_accepts_unsigned_token(service: Service, known: User | None, call: Call) -> User | None:
    """A token declares that it is not signed, and the service believes it."""
    header, _, rest = (service.token(call) or "").partition(".")
    claims, _, signature = rest.partition(".")
    is_unsigned = not signature and _decoded(header).get("alg", "").lower() == "none"
    named = (user for user in service.config.users if user.name == _decoded(claims).get("sub"))
    return known or (next(named, None) if is_unsigned and call.operation is Action.READ else None)


def _accepting(operation: Action, mistaken: Callable[[str, str, User], bool]) -> type[Service]:
    """Return the service that accepts more tokens than it should, on one operation.

    `mistaken` decides from the header, the given token and a user whether the service takes the client for this user.
    """

    def user_of(service: Service, call: Call) -> User | None:
        headers = call.authorization if len(call.authorization) == 1 else ()
        tried = ((header, header.partition(" ")[2], each) for header in headers for each in service.config.users)
        return next((user for header, given, user in tried if mistaken(header, given, user)), None)

    return taken_for(user_of, operation)


_ANY_BAD = "5.3-*-with-bad-token"
_NOTHING = "4.1-refused-creates-nothing"
_PLACES = ("8-accepts-up-to-limit", "3-frees-the-limit")
_OTHER_OPERATION = ("4.3-answers-ok",)
# Each mistake with one operation: the same code checks the token of all three.


@fault("5.3-create-with-bad-token", *_OTHER_OPERATION, _NOTHING, "7-not-found", by=partial(_accepting, Action.CREATE))
def create_accepts_prefix_of_token(header: str, _given: str, user: User) -> bool:
    """The service compares the first sixteen characters only, because the column is that short."""
    first = header.removeprefix("Bearer ")[:16]
    return len(first) == 16 and user.token.startswith(first)


@fault("5.3-delete-with-bad-token", DELETED, _NOTHING, "7-not-found", by=partial(_accepting, Action.DELETE))
def delete_accepts_longer_token(header: str, _given: str, user: User) -> bool:
    """The service searches for the token anywhere in the header."""
    return user.token in header


@fault("5.3-read-with-bad-token", _NOTHING, "7-not-found", by=partial(_accepting, Action.READ))
def read_accepts_empty_token(_header: str, given: str, _user: User) -> bool:
    """The service treats an empty token as no token, and no token as the default user."""
    return given.strip() == ""


@fault("5.3-delete-with-bad-token", DELETED, _NOTHING, "7-not-found", by=partial(_accepting, Action.DELETE))
def delete_accepts_basic_credentials(header: str, _given: str, _user: User) -> bool:
    """The service treats a client that sends Basic as the technical user and does not check the password."""
    return header.lower().startswith("basic ")


@fault("5.3-create-with-bad-token", *_OTHER_OPERATION, _NOTHING, "7-not-found", by=partial(_accepting, Action.CREATE))
def create_accepts_word_for_no_token(_header: str, given: str, _user: User) -> bool:
    """A client without a token sends "null", and the service has a user of that name for it."""
    return given in ("null", "undefined")


@fault("5.3-delete-with-bad-token", DELETED, _NOTHING, "7-not-found", by=partial(_accepting, Action.DELETE))
def delete_accepts_token_that_breaks_the_query(_header: str, given: str, _user: User) -> bool:
    """A quote ends the text in the SQL of the look-up, and a look-up that fails returns the technical user."""
    return "'" in given


@fault("5.3-read-with-bad-token", _NOTHING, "7-not-found", by=partial(_accepting, Action.READ))
def read_accepts_any_token_of_another_scheme(header: str, _given: str, _user: User) -> bool:
    """The filter verifies what begins with Bearer, and leaves bearer to a filter that is not installed."""
    return header.startswith("bearer ")


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


@fault("5.3-create-with-bad-token", _ANY_BAD)
def letter_outside_ascii_crashes_the_comparison(service: Service, call: Call) -> Reply | None:
    """hmac.compare_digest takes no str with a letter outside ASCII, and frameworks read each byte as a letter."""
    is_text = call.operation not in NAMES or (service.token(call) or "").isascii()
    return None if is_text else crash("comparing strings with non-ASCII characters is not supported")


@fault("5.3-create-with-bad-token", _ANY_BAD, source=sources.DJANGO_CACHE_KEYS)
def long_token_is_no_key_of_the_cache(_service: Service, call: Call) -> Reply | None:
    """The users are cached by their tokens, and memcached takes no key of more than 250 characters."""
    is_long = call.operation in NAMES and any(len(each) > 250 for each in call.authorization)
    return crash("InvalidCacheKey") if is_long else None
