"""Every operation on data requests, by every form of a credential, each tried once for the run (5).

What no service may take for the token of a user is answered 401 (5.3). Forms of which that is not stated are only
shown: RFC 9110 compares schemes without regard to case, RFC 6750 (2.3) lets a server read the token from the query, and
what a token given twice means is nowhere said.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Final
from urllib.parse import quote

from conformance.account import jwt_claims
from conformance.caller import ANYTHING, NOBODY, USER, Caller
from conformance.courses import Turn, course
from conformance.exchange import Exchange, Operation
from conformance.expect import Undecided
from conformance.lifetimes import is_missing
from conformance.limit import Trial, accepted
from conformance.record import request_id_of
from conformance.service import Service

REPEATS: Final = 2
"""How often a call without a token is made for what is there, and as often for what is not."""

_MOST_BAD: Final = 11
"""Forms of a bad token."""

Ask = Callable[[Caller], Exchange]
Asked = tuple[Ask, Caller]


@dataclass
class Refusals:
    """The answers of one operation to whoever is no user.

    Of `without` every other one, the first included, and of `bad` all but the last asked for what exists.
    """

    without: list[Exchange] = field(default_factory=list)
    bad: list[Exchange] = field(default_factory=list)
    afterwards: Exchange | None = None
    """A reading with the token of the request that the readings here were refused; of deletions, a deletion."""


def refusals(service: Service, operation: Operation) -> Refusals:
    """Return how an operation answers to no token and to bad ones; raise Undecided where no request can be named."""
    memory = service.session.memory
    name = f"refusals of {operation}"
    if name not in memory:
        if operation is Operation.CREATE:
            memory[name] = _creations(service)
        else:
            of_requests.prepare(service)()
    found: Refusals = memory[name]
    return found


def unharmed(service: Service, refused: list[Exchange], gone: Exchange, *, beside: int = 0) -> Exchange:
    """Return the deletion, with the token, of a request that nothing but readings with a bad one was asked of.

    They are twice as many as what was `refused` before another request was found `gone`, and take three times as long.
    """
    created = service.create().request_id
    for _ in range(beside):  # a deletion that takes another one along is another fault
        service.delete(service.create().request_id)
    service.session.side_by_side([partial(service.read, created, _bad(service)[0])] * (2 * len(refused)))
    first = min(refused, key=lambda each: each.number)
    service.session.sleep(3 * (gone.started - first.started).total_seconds())
    return service.delete(created, open=True)


@course(lambda service: 2 * (2 * REPEATS * service.session.target.budget.times + _MOST_BAD + 1) + 5)
def of_requests(service: Service) -> Callable[[], object]:
    """Reads and deletes a request of the user without a token and with bad ones, and one that nobody has."""
    ask = _of_requests(service)

    def remembered() -> None:
        service.session.memory.update({f"refusals of {operation}": found for operation, found in ask().items()})

    return partial(service.once, "refusals of requests", remembered)


def _deleted_at_the_limit(service: Service) -> str | None:
    found = service.session.memory.get("limit trial")
    missing = [ghost for ghost in found.ghosts if is_missing(ghost)] if isinstance(found, Trial) else []
    return request_id_of(missing[0]) if missing else None


def deletions_alone(service: Service) -> Refusals:
    """Return how deletion answers to no token and to bad ones, asked anew, with nothing else under way."""
    return _of_requests(service)()[Operation.DELETE]


def _of_requests(service: Service) -> Callable[[], dict[Operation, Refusals]]:
    # One that was deleted, and found missing by its user: neither makes it anybody's business.
    gone = _deleted_at_the_limit(service)
    prepared = [
        (operation, put, _bad(service), service.some_uuid(), gone or service.some_uuid())
        for operation, put in ((Operation.READ, service.read), (Operation.DELETE, service.delete))
    ]

    def ask() -> dict[Operation, Refusals]:
        one = service.create().request_id
        service.read(one)  # whoever keeps what was read must not give it to others
        found = _refusals(
            service,
            {
                operation: _calls(service, callers, partial(put, one), partial(put, nobody), gone=partial(put, gone))
                for operation, put, callers, nobody, gone in prepared
            },
        )
        # Nor may whoever keeps what was refused refuse it to its user.
        found[Operation.READ].afterwards = service.read(one)
        found[Operation.DELETE].afterwards = service.delete(one, open=True)
        return found

    return ask


def refused_readings(service: Service) -> Callable[[str], list[Exchange]]:
    """Return what reads a request without a token and with bad ones."""
    callers = [NOBODY, *_bad(service)]
    return lambda request_id: service.session.side_by_side(
        [partial(service.read, request_id, each) for each in callers]
    )


def without_token(service: Service) -> list[Exchange]:
    """Return how the operations answer to no token, of requests that nobody has where none can be made."""
    found = refusals(service, Operation.CREATE).without
    try:
        return [*found, *refusals(service, Operation.READ).without, *refusals(service, Operation.DELETE).without]
    except Undecided:
        nobody = service.some_uuid()
        return [*found, service.read(nobody, NOBODY), service.delete(nobody, NOBODY)]


def doubtful(service: Service) -> dict[Caller, list[Exchange]]:
    """Return how creation, reading and deletion answer to the token in forms that are open.

    They name a type and requests that nobody has: 400, 404 and 404 are then what a user is told, and nothing is made.
    """
    memory = service.session.memory
    if "doubtful credentials" not in memory:
        in_doubtful_forms.prepare(service)()
    found: dict[Caller, list[Exchange]] = memory["doubtful credentials"]
    return found


@course(12, turn=Turn.AFTER)
def in_doubtful_forms(service: Service) -> Callable[[], object]:
    """Asks the same of all three operations in each doubtful form."""
    callers, unknown, nobody = _doubtful(service), service.unknown_type(), service.some_uuid()
    asks: list[Ask] = [
        lambda caller: service.post([unknown], caller, open=True),
        lambda caller: service.read(nobody, caller, open=True),
        lambda caller: service.delete(nobody, caller, open=True),
    ]

    def go() -> None:
        answers = _side_by_side(service, [(ask, caller) for caller in callers for ask in asks])
        service.session.memory["doubtful credentials"] = {
            caller: answers[index * len(asks) : (index + 1) * len(asks)] for index, caller in enumerate(callers)
        }

    return go


def _creations(service: Service) -> Refusals:
    known, unknown = service.types()[:1] or None, service.unknown_type()
    calls = _calls(
        service,
        _bad(service),
        partial(service.post, known),
        partial(service.post, [unknown]),
        otherwise=partial(service.post, None),
    )
    found = _refusals(service, {Operation.CREATE: calls})[Operation.CREATE]
    for exchange in found.without + found.bad:
        made = service.created_if_possible(exchange) if accepted(exchange) else None
        if made is not None:
            service.delete(made.request_id)
    return found


def _calls(
    service: Service,
    callers: list[Caller],
    existing: Ask,
    missing: Ask,
    *,
    otherwise: Ask | None = None,
    gone: Ask | None = None,
) -> tuple[list[Asked], list[Asked]]:
    """Return what is asked without a token, and what with bad ones."""
    times = REPEATS * service.session.target.budget.times
    browser = replace(NOBODY, accept=ANYTHING)  # who is sent to a login page where JSON is not asked for
    turns = [(existing, NOBODY), (missing, NOBODY), (otherwise or existing, browser), (gone or missing, NOBODY)]
    return turns * (times // 2), [*((existing, caller) for caller in callers), (missing, callers[0])]


def _refusals(service: Service, calls: dict[Operation, tuple[list[Asked], list[Asked]]]) -> dict[Operation, Refusals]:
    answers = iter(_side_by_side(service, [call for both in calls.values() for each in both for call in each]))
    return {
        operation: Refusals(list(islice(answers, len(without))), list(islice(answers, len(bad))))
        for operation, (without, bad) in calls.items()
    }


def _side_by_side(service: Service, calls: list[Asked]) -> list[Exchange]:
    def asking(ask: Ask, caller: Caller) -> Callable[[], Exchange]:
        return lambda: ask(caller)

    return service.session.side_by_side([asking(*call) for call in calls])


# ---------------------------------------------------------------------- what is no token


def _bad(service: Service) -> list[Caller]:
    chance = service.session.chance
    token = service.session.credentials[USER.label].token.current()
    basic = base64.b64encode(f"nobody:{chance.getrandbits(64):x}".encode()).decode()
    callers = [
        # In another language: errors are stated, not translated.
        Caller("a made-up token", f"Bearer {chance.getrandbits(160):040x}", language=next(iter(service.tags()), "")),
        Caller("a token with characters too many", f"Bearer {_lengthened(service, token)}"),
        Caller("a token altered in one character", f"Bearer {_altered(service, token, max(0, len(token) - 8))}"),
        Caller("a token altered in its middle", f"Bearer {_altered(service, token, _middle(token))}"),
        Caller("a token altered in its first character", f"Bearer {_altered(service, token, 0)}"),
        Caller("an empty token", "Bearer"),
        Caller("the word null for a token", "Bearer null"),
        Caller("another scheme", f"Basic {basic}"),
    ]
    if len(token) >= _LONG_ENOUGH_TO_CUT:
        callers.append(Caller("a token cut short", f"Bearer {_cut(service, token)}"))
    if token not in (token.lower(), token.upper()) and not _NUMBER.fullmatch(token):
        # A token in one case only, or of hexadecimal digits, may be a number, which reads the same in the other.
        callers.append(Caller("a token in the other case", f"Bearer {token.swapcase()}"))
    if jwt_claims(token):
        callers.append(Caller("a token without its signature", f"Bearer {_unsigned(service, token)}"))
    tokens = {f"Bearer {each.token.current()}" for each in service.session.credentials.values()}
    return [caller for caller in callers if caller.authorization not in tokens]


_NUMBER = re.compile(r"[0-9A-Fa-f-]+")
_LONG_ENOUGH_TO_CUT: Final = 3


def _lengthened(service: Service, token: str) -> str:
    """Return the token with a whole group of base64 behind it: a single character may decode to nothing.

    It goes before the padding, where decoding ends.
    """
    bare = token.rstrip("=")
    lengthened = f"{bare}xxxx{token[len(bare) :]}"
    if bare != token:
        service.session.look_alikes["DRSI_TOKEN but for four characters"] = lengthened
    return lengthened


def _altered(service: Service, token: str, place: int) -> str:
    """Return the token with one character changed into another letter, not the same one in the other case.

    The place is away from the end, where a signature may have spare bits.
    """
    altered = token[:place] + ("A" if token[place] not in "Aa" else "B") + token[place + 1 :]
    service.session.look_alikes[f"DRSI_TOKEN but for character {place + 1}"] = altered
    return altered


def _unsigned(service: Service, token: str) -> str:
    """Return a JWT with the same claims that says of itself that it is not signed (RFC 7519, 6)."""
    header = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    unsigned = f"{header}.{token.split('.')[1]}."
    service.session.look_alikes["DRSI_TOKEN without its signature"] = unsigned
    return unsigned


def _middle(token: str) -> int:
    """Return a place in the middle that ends no part of the token: the last character of a part may have spare bits."""
    middle = len(token) // 2
    inside = (place for place in range(middle, len(token) - 1) if token[place : place + 2].isalnum())
    return next(inside, 0)


def _cut(service: Service, token: str) -> str:
    """Return the token without its last third."""
    cut = token[: -(len(token) // 3)]
    service.session.look_alikes["DRSI_TOKEN but for its last third"] = cut
    return cut


# ---------------------------------------------------------------------- what may be one


def _doubtful(service: Service) -> list[Caller]:
    token = service.session.credentials[USER.label].token.current()
    return [
        Caller("the token under bearer in lower case", f"bearer {token}"),
        Caller("the token under the scheme Token", f"Token {token}"),
        Caller("the token in two headers", (f"Bearer {token}", f"Bearer {token}")),
        Caller("the token in the query", query=f"access_token={quote(token, safe='')}"),
    ]
