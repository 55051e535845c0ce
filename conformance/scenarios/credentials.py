"""The credential scenarios: every operation on data requests with every form of a credential (5).

What no service may take for the token of a user is answered 401 (5.3). Forms of which the specification states nothing
are only shown.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle, islice
from typing import Final
from urllib.parse import quote

from conformance.client.account import jwt_claims
from conformance.client.user import UserClient, accepted
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation, is_missing, request_id_of
from conformance.model.identity import ANYTHING, NOBODY, OTHER_USER, USER, Identity
from conformance.model.verdict import Blame
from conformance.scenarios.limit import limit
from conformance.scenarios.registry import scenario

REPEATS: Final = 2
"""How often a call without a token is made for what is there, and as often for what is not."""

MOST: Final = 11
"""Forms of a bad token."""

_UNFINISHED: Final = b'["unfinished'

Ask = Callable[[Identity], Exchange]
Asked = tuple[Ask, Identity]


@dataclass
class Refusals:
    """The answers of one operation to callers without a token, and to callers with a bad one.

    Of `without` every other one, the first included, and of `bad` all but the last asked for what exists.
    """

    without: list[Exchange] = field(default_factory=list)
    bad: list[Exchange] = field(default_factory=list)
    afterwards: Exchange | None = None
    """A reading with the token of the request that the readings here were refused; of deletions, a deletion."""


Doubtful = dict[Identity, list[Exchange]]
"""The answers of creation, reading and deletion to each caller with the token in a doubtful form."""


@scenario(calls=2 * (2 * REPEATS + MOST + 1) + 5, parallel=True)
def refused_requests(service: UserClient) -> dict[Operation, Refusals]:
    """Reads and deletes a request of the user without a token and with bad ones, and requests that nobody has."""
    one = service.create().request_id
    service.read(one)  # a service that caches what was read must not give it to others
    found = limit.so_far(service)
    missing = [each for each in found.undeleted if is_missing(each)] if found is not None else []
    # One that was deleted, and found missing by its user: without a token that is nobody's business either.
    gone = request_id_of(missing[0]) if missing else service.some_uuid()
    calls = {}
    for operation, put in ((Operation.READ, service.read), (Operation.DELETE, service.delete)):
        callers, nobody = no_tokens(service), service.unknown_id(near=one)
        word = f"no-such-request-{service.session.chance.getrandbits(48):012x}"  # without a token it is not looked at
        calls[operation] = _calls(
            service,
            callers,
            partial(put, one),
            partial(put, nobody),
            gone=partial(put, gone),
            odd=partial(put, word),
        )
    refused = _refusals(service, calls)
    # A service that caches refusals must not refuse the user.
    refused[Operation.READ].afterwards = service.read(one)
    refused[Operation.DELETE].afterwards = service.delete(one, open=True)
    return refused


@scenario(calls=2 * (2 * REPEATS + MOST + 1) + 5)
def refused_requests_alone(service: UserClient) -> dict[Operation, Refusals]:
    """The same, with nothing else under way: it runs only when a request was missing after the other scenario."""
    return refused_requests.again(service)


@scenario(calls=2 * REPEATS + MOST + 3)
def without_token(service: UserClient) -> list[Exchange]:
    """How the operations answer to no token, of requests that nobody has where none can be made."""
    found = refused_creations.result(service).without
    try:
        refused = refused_requests.result(service)
    except NotDecided:
        nobody = service.some_uuid()
        return [*found, service.read(nobody, NOBODY), service.delete(nobody, NOBODY)]
    return [*found, *refused[Operation.READ].without, *refused[Operation.DELETE].without]


@scenario(calls=12, parallel=True)
def doubtful_credentials(service: UserClient) -> Doubtful:
    """Creates, reads and deletes in each doubtful form, of which the specification states nothing.

    The calls name a type and requests that nobody has: a user would be told 400, 404 and 404, and nothing is made.
    """
    callers, unknown, nobody = doubtful_forms(service), service.unknown_type(), service.some_uuid()
    asks: list[Ask] = [
        lambda caller: service.post([unknown], caller, open=True, unusual=True),
        lambda caller: service.read(nobody, caller, open=True, unusual=True),
        lambda caller: service.delete(nobody, caller, open=True, unusual=True),
    ]
    answers = _parallel(service, [(ask, caller) for caller in callers for ask in asks])
    return {caller: answers[index * len(asks) : (index + 1) * len(asks)] for index, caller in enumerate(callers)}


@dataclass(frozen=True)
class ByAnother:
    """What a second user did with a request of the first one, and a reading by the first one afterwards."""

    read: Exchange
    deleted: Exchange
    after: Exchange


@scenario(calls=5, parallel=True)
def by_another(service: UserClient) -> ByAnother:
    """Has another user read and delete a request, and its user read it afterwards: nothing is stated about it (5)."""
    demand_other_user(service)
    one = service.create().request_id
    read = service.read(one, OTHER_USER, request="foreign")
    deleted = service.delete(one, OTHER_USER, request="foreign")
    after = service.read(one)
    service.session.remove(one)
    return ByAnother(read, deleted, after)


def demand_other_user(service: UserClient) -> None:
    """Raise NotDecided where no second user is known."""
    if OTHER_USER.label not in service.session.credentials:
        raise NotDecided(
            "This needs the token of a second user.",
            blame=Blame.CREDENTIAL,
            remedy="Give one as DRSI_OTHER_TOKEN, and run again.",
        )


@scenario(calls=2 * REPEATS + MOST + 1, parallel=True)
def refused_creations(service: UserClient) -> Refusals:
    """Creates without a token and with bad ones, for known and unknown types and with odd bodies."""
    known, unknown = service.first_types(1), service.unknown_type()
    without, bad = _calls(
        service,
        no_tokens(service),
        partial(service.post, known),
        partial(service.post, [unknown]),
        otherwise=partial(service.post, None),
        # A body that does not parse, which must not be looked at. A route may be chosen by its label, the right one.
        gone=partial(service.post_raw, _UNFINISHED),
    )
    odd = {
        "a made-up token": partial(service.post_raw, _UNFINISHED),
        "another scheme": partial(service.post_raw, b'{"dataRequested": []}'),
    }
    # What is asked last is asked again with a made-up token, for a list.
    calls = without, [*((odd.get(caller.label, ask), caller) for ask, caller in bad[:-1]), bad[-1]]
    found = _refusals(service, {Operation.CREATE: calls})[Operation.CREATE]
    for exchange in found.without + found.bad:
        made = service.created_if_possible(exchange) if accepted(exchange) else None
        if made is not None:
            service.delete(made.request_id)
    return found


def _calls(
    service: UserClient,
    callers: list[Identity],
    existing: Ask,
    missing: Ask,
    *,
    otherwise: Ask | None = None,
    gone: Ask | None = None,
    odd: Ask | None = None,
) -> tuple[list[Asked], list[Asked]]:
    """Return what is asked without a token, and what with bad ones."""
    times = REPEATS * service.session.target.budget.times
    languages = islice(cycle([*service.tags(), ""]), 3)
    abroad, elsewhere, browser = (replace(NOBODY, language=each) for each in languages)
    browser = replace(browser, accept=ANYTHING)  # who is sent to a login page where JSON is not asked for
    turns = [
        (existing, NOBODY),
        (odd or missing, abroad),
        (otherwise or existing, browser),
        (gone or missing, elsewhere),
    ]
    return turns * (times // 2), [*((existing, caller) for caller in callers), (missing, callers[0])]


def _refusals(
    service: UserClient, calls: dict[Operation, tuple[list[Asked], list[Asked]]]
) -> dict[Operation, Refusals]:
    answers = iter(_parallel(service, [call for both in calls.values() for each in both for call in each]))
    return {
        operation: Refusals(list(islice(answers, len(without))), list(islice(answers, len(bad))))
        for operation, (without, bad) in calls.items()
    }


def _parallel(service: UserClient, calls: list[Asked]) -> list[Exchange]:
    def asking(ask: Ask, caller: Identity) -> Callable[[], Exchange]:
        return lambda: ask(caller)

    return service.session.parallel([asking(*call) for call in calls])


def no_tokens(service: UserClient) -> list[Identity]:
    """Return callers with what no service may take for the token of a user, at most MOST."""
    chance = service.session.chance
    token = service.session.credentials[USER.label].token.current()
    basic = base64.b64encode(f"nobody:{chance.getrandbits(64):x}".encode()).decode()
    # In three parts, as what is verified by its signature: who only looks it up finds nothing either.
    made_up = ".".join(f"{chance.getrandbits(80):020x}" for _ in range(3))
    callers = [
        Identity("a made-up token", f"Bearer {made_up}"),
        Identity("a token with characters too many", f"Bearer {_lengthened(token)}"),
        Identity("a token altered in one character", f"Bearer {_altered(token, max(0, len(token) - 8))}"),
        Identity("a token altered in its middle", f"Bearer {_altered(token, _middle(token))}"),
        Identity("a token altered in its first character", f"Bearer {_altered(token, 0)}"),
        Identity("an empty token", "Bearer"),
        Identity("the word null for a token", "Bearer null"),
        Identity("another scheme", f"Basic {basic}"),
    ]
    if len(token) >= _LONG_ENOUGH_TO_CUT:
        callers.append(Identity("a token cut short", f"Bearer {_cut(token)}"))
    if token not in (token.lower(), token.upper()) and not _NUMBER.fullmatch(token):
        # A token in one case only, or of hexadecimal digits, may be a number, which reads the same in the other.
        callers.append(Identity("a token in the other case", f"Bearer {token.swapcase()}"))
    if jwt_claims(token):
        callers.append(Identity("a token without its signature", f"Bearer {_unsigned(token)}"))
    tokens = {f"Bearer {each.token.current()}" for each in service.session.credentials.values()}
    # In one language after another, and in none: errors are stated, not translated.
    languages = cycle([*service.tags(), ""])
    return [replace(each, language=next(languages)) for each in callers if each.authorization not in tokens]


_NUMBER = re.compile(r"[0-9A-Fa-f-]+")
_LONG_ENOUGH_TO_CUT: Final = 3


def _lengthened(token: str) -> str:
    """Return the token with a whole group of base64 behind it: a single character may decode to nothing.

    It goes before the padding, where decoding ends.
    """
    bare = token.rstrip("=")
    return f"{bare}xxxx{token[len(bare) :]}"


def _altered(token: str, place: int) -> str:
    """Return the token with one character changed into another letter, not the same one in the other case.

    The place is away from the end, where a signature may have spare bits.
    """
    return token[:place] + ("A" if token[place] not in "Aa" else "B") + token[place + 1 :]


def _unsigned(token: str) -> str:
    """Return a JWT with the same claims that says of itself that it is not signed (RFC 7519, 6)."""
    header = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    return f"{header}.{token.split('.')[1]}."


def _middle(token: str) -> int:
    """Return a place in the middle that ends no part of the token: the last character of a part may have spare bits."""
    middle = len(token) // 2
    inside = (place for place in range(middle, len(token) - 1) if token[place : place + 2].isalnum())
    return next(inside, 0)


def _cut(token: str) -> str:
    """Return the token without its last third."""
    return token[: -(len(token) // 3)]


def doubtful_forms(service: UserClient) -> list[Identity]:
    """Return callers with the token in forms of which nothing is stated."""
    token = service.session.credentials[USER.label].token.current()
    return [
        Identity("the token under bearer in lower case", f"bearer {token}"),
        Identity("the token under the scheme Token", f"Token {token}"),
        Identity("the token in two headers", (f"Bearer {token}", f"Bearer {token}")),
        Identity("the token in the query", query=f"access_token={quote(token, safe='')}"),
    ]
