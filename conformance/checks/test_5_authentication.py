"""Clause 5: the operations on data requests need an accepted token, the settings and the data types none."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator

import pytest

from conformance import expect
from conformance.account import jwt_claims
from conformance.check import Observe, each, last, requirement
from conformance.exchange import Exchange
from conformance.expect import Broken, Undecided, answer_of, describe, not_applicable
from conformance.limit import accepted
from conformance.service import NOBODY, OTHER_USER, USER, Caller, Service, Visitor

Ask = Callable[[Service, Caller], Iterator[Exchange]]


def _create(service: Service, caller: Caller) -> Iterator[Exchange]:
    """Ask for a creation with a valid body, then with an invalid one."""
    yield service.post(service.types()[:1] or None, caller)
    yield service.post([service.unknown_type()], caller)


def _read(service: Service, caller: Caller) -> Iterator[Exchange]:
    """Ask for a request that exists, and was read with the token before, then for one that does not."""
    existing = _existing(service)
    if service.session.memory.get("read with the token") != existing:
        service.read(existing)  # whoever keeps what was read must not give it to others
        service.session.memory["read with the token"] = existing
    yield service.read(existing, caller)
    yield service.read(service.some_uuid(), caller)


def _delete(service: Service, caller: Caller) -> Iterator[Exchange]:
    """Ask for the deletion of a request that exists, then of one that does not."""
    yield service.delete(_existing(service), caller)
    yield service.delete(service.some_uuid(), caller)


def _existing(service: Service) -> str:
    return next(iter(service.session.journal.live), None) or service.create().request_id


@each(
    "ask",
    {
        "5.3-create-without-token": _create,
        "5.3-read-without-token": _read,
        "5.3-delete-without-token": _delete,
    },
)
def test_without_a_token(service: Service, ask: Ask) -> None:
    """The operation answers 401 when there is no token, whatever else is right or wrong with the call."""
    for _ in range(3):
        for exchange in ask(service, NOBODY):
            expect.status(exchange, 401)


@each(
    "ask",
    {
        "5.3-create-with-bad-token": _create,
        "5.3-read-with-bad-token": _read,
        "5.3-delete-with-bad-token": _delete,
    },
)
def test_with_a_token_that_is_not_accepted(service: Service, ask: Ask) -> None:
    """The operation answers 401 to every credential that is no token of a user."""
    for caller in _bad_callers(service):
        expect.status(next(ask(service, caller)), 401)
    for exchange in ask(service, _made_up(service)):
        expect.status(exchange, 401)


def _bad_callers(service: Service) -> list[Caller]:
    chance = service.session.chance
    token = service.session.credentials[USER.label].token.current()
    basic = base64.b64encode(f"nobody:{chance.getrandbits(64):x}".encode()).decode()
    near = [Caller("a token with characters too many", f"Bearer {_lengthened(service, token)}")]
    if token not in (token.lower(), token.upper()) and not _NUMBER.fullmatch(token):
        # A token in one case only, or of hexadecimal digits, may be a number, which reads the same in the other.
        near.append(Caller("a token in the other case", f"Bearer {token.swapcase()}"))
    if jwt_claims(token):
        near.append(Caller("a token without its signature", f"Bearer {_unsigned(service, token)}"))
    return [
        *near,
        Caller("a token altered in one character", f"Bearer {_altered(service, token)}"),
        Caller("an empty token", "Bearer"),
        Caller("another scheme", f"Basic {basic}"),
    ]


def _made_up(service: Service) -> Caller:
    return Caller("a made-up token", f"Bearer {service.session.chance.getrandbits(160):040x}")


_NUMBER = re.compile(r"[0-9A-Fa-f-]+")


def _lengthened(service: Service, token: str) -> str:
    """Return the token with a whole group of base64 behind it: a single character may decode to nothing.

    It goes before the padding, where decoding ends.
    """
    bare = token.rstrip("=")
    lengthened = f"{bare}xxxx{token[len(bare) :]}"
    if bare != token:
        service.session.look_alikes["DRSI_TOKEN but for four characters"] = lengthened
    return lengthened


def _unsigned(service: Service, token: str) -> str:
    """Return a JWT with the same claims that says of itself that it is not signed (RFC 7519, 6)."""
    header = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
    unsigned = f"{header}.{token.split('.')[1]}."
    service.session.look_alikes["DRSI_TOKEN without its signature"] = unsigned
    return unsigned


def _altered(service: Service, token: str) -> str:
    """Return the token with one character changed, away from the end where a signature may have spare bits.

    It becomes another letter, not the same one in the other case.
    """
    place = max(0, len(token) - 8)
    altered = token[:place] + ("A" if token[place] not in "Aa" else "B") + token[place + 1 :]
    service.session.look_alikes["DRSI_TOKEN but for one character"] = altered
    return altered


@requirement("5.3-rejected-delete-deletes-nothing")
def test_a_rejected_deletion_deletes_nothing(service: Service) -> None:
    """A request is still there after deletions with no token and with bad ones."""
    control = service.delete(service.create().request_id)
    if not accepted(control):
        raise Undecided("A deletion with the token was refused. See 4.3-answers-ok.", exchanges=[control])

    created = service.create()
    rejected = [
        service.delete(created.request_id, caller) for caller in (NOBODY, _made_up(service), *_bad_callers(service))
    ]
    gone = service.delete(created.request_id, open=True)

    if answer_of(gone).status == 404:
        raise Broken(
            "A deletion without an accepted token removed the request: deleting it with the token answered 404.",
            expected="the request is still there",
            actual=f"statuses {', '.join(str(answer_of(each).status) for each in rejected)}, then 404 with the token",
            exchanges=[gone, *rejected],
        )


@requirement("5.1-accepts-bearer")
def test_the_token_is_accepted_by_all_three_operations(service: Service) -> None:
    """Creation, reading and deletion do not answer 401 to the token as Authorization: Bearer."""
    creation = service.post(service.types()[:1] or None)
    _not_refused(creation)
    created = service.created_if_possible(creation)
    existing = [created.request_id] if created else list(service.session.journal.live)
    request_id = existing[0] if existing else service.some_uuid()

    _not_refused(service.read(request_id))
    _not_refused(service.delete(request_id))


def _not_refused(exchange: Exchange) -> None:
    if answer_of(exchange).status in (401, 403):
        raise Broken(
            f"{describe(exchange)} answered {answer_of(exchange).status} to a token that other calls accept.",
            expected="the token is accepted",
            actual=f"status {answer_of(exchange).status}",
            exchanges=[exchange],
        )


@requirement("5.4-settings-without-token")
def test_settings_need_no_token(visitor: Visitor) -> None:
    """GET /settings does not ask for a token."""
    _is_open(visitor, visitor.settings())


@requirement("5.4-data-without-token")
def test_data_needs_no_token(visitor: Visitor) -> None:
    """GET /data does not ask for a token."""
    _is_open(visitor, visitor.data())


def _is_open(visitor: Visitor, exchange: Exchange) -> None:
    status = answer_of(exchange).status
    if visitor.asks_for_a_token(exchange):
        expect.status(exchange, 200)
    if status != 200:
        raise Undecided(
            f"{describe(exchange)} answered {status}, for another reason than a token.", exchanges=[exchange]
        )


@last
@requirement("5.3-www-authenticate")
def test_a_401_may_carry_a_challenge(visitor: Visitor, observe: Observe) -> None:
    """Shows whether a 401 carries WWW-Authenticate."""
    exchange = visitor.read(visitor.some_uuid())
    if answer_of(exchange).status != 401:
        raise not_applicable("No 401 came.", exchange)
    challenge = answer_of(exchange).header("www-authenticate")
    observe(f"A 401 carries {f'WWW-Authenticate {challenge!r}' if challenge else 'no WWW-Authenticate'}.", exchange)


@pytest.mark.usefixtures("other_user")
@requirement("5-isolation")
def test_one_user_may_see_the_requests_of_another(service: Service, observe: Observe) -> None:
    """Shows whether a second user can read or delete the first one's request."""
    created = service.create()

    read = service.read(created.request_id, OTHER_USER, request="foreign")
    deleted = service.delete(created.request_id, OTHER_USER, request="foreign")
    after = service.read(created.request_id)

    could = [word for word, exchange in (("read", read), ("delete", deleted)) if answer_of(exchange).status == 200]
    gone = ", and it was gone afterwards" if answer_of(after).status == 404 else ""
    if could:
        observe(f"Another user could {' and '.join(could)} the request{gone}: users are not isolated.", read, deleted)
    else:
        observe(
            f"Another user could neither read ({answer_of(read).status}) nor delete ({answer_of(deleted).status}) it.",
            read,
            deleted,
        )


@last
@requirement("7-other-errors")
def test_other_errors_are_shown(service: Service, observe: Observe) -> None:
    """Shows which statuses the run met that are not in the table of errors."""
    tabled = (200, 400, 401, 404)
    seen = {
        exchange.answer.status: exchange
        for exchange in service.record.in_order()
        if exchange.answer is not None and exchange.answer.status not in tabled
    }
    for status, exchange in sorted(seen.items()):
        observe(f"Status {status} was met, such as in the answer to {describe(exchange)}.", exchange)
    if not seen:
        observe("No status was met but 200, 400, 401 and 404.")


@last
@requirement("8-other-limits")
def test_other_limits_are_shown(service: Service, observe: Observe) -> None:
    """Shows whether the target asked to be left alone for a while."""
    slowed = [
        exchange
        for exchange in service.record.in_order()
        if exchange.answer is not None and exchange.answer.status in (429, 503)
    ]
    observe(f"{len(slowed)} calls of {len(service.record)} were put off with 429 or 503.", *slowed[:1])
