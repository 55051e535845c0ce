"""Twins that fail, delay a call, turn a client away or let a token expire during the run: clauses 5.5, 7 and 8."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from email.utils import format_datetime

from conformance.calibration import sources
from conformance.calibration.operators import changing, crash, page
from conformance.calibration.variant import add_twin, twin, undecided
from conformance.reference.call import NO_ANSWER, Action, Call, Reply
from conformance.reference.config import User
from conformance.reference.service import Service

_ANY = undecided("*")
"""The order of the calls decides which requirements an outage leaves undecided."""


def _in_a_row(service: Service, first: int, lengths: Sequence[int], reply: Reply) -> Reply | None:
    """Return the answer to some calls in a row, to every operation alike, in each hundred calls from the first on."""
    time, place = divmod(service.turn("calls") - first, 100)
    return reply if 0 <= time < len(lengths) and place < lengths[time] else None


@twin("7", _ANY, source=sources.KUBERNETES_ROLLOUT)
def no_backend_for_a_while(service: Service, _call: Call) -> Reply | None:
    """A gateway answers 404 in plain text to 20 calls in a row, while a new version of the service starts."""
    return _in_a_row(service, 120, (20,), Reply(404, b"default backend - 404", {"content-type": "text/plain"}))


@twin("7", _ANY, source=sources.OWASP_RULES)
def blocked_now_and_then(service: Service, _call: Call) -> Reply | None:
    """A firewall answers 403 with a page for a moment, now and then."""
    return _in_a_row(service, 33, (1, 2, 1, 6, 3), page(403, "<h1>Blocked</h1>"))


@twin("7", _ANY, source=sources.AWS_WAF)
def turned_away_for_a_while(service: Service, _call: Call) -> Reply | None:
    """A gateway that counts the calls of a client answers 403 in JSON of its own to 60 of them in a row."""
    return _in_a_row(service, 300, (60,), Reply.json({"message": "Forbidden"}, 403))


@twin("7", _ANY, source=sources.KONG_NO_ROUTE)
def no_route_for_a_while(service: Service, _call: Call) -> Reply | None:
    """A gateway that loads its routes again answers 404 in JSON of its own to nine calls in a row."""
    return _in_a_row(service, 200, (9,), Reply.json({"message": "no Route matched with those values"}, 404))


@twin("7", _ANY, source=sources.CLOUDFLARE_CHALLENGES)
def checks_the_client_now_and_then(service: Service, _call: Call) -> Reply | None:
    """A gateway answers every hundredth call with a page, and lets the same call pass when it comes again."""
    return _in_a_row(service, 35, (1,) * 20, page(403, "<h1>Checking your browser</h1>"))


@twin("5.3", _ANY, source=sources.FAIL2BAN)
def client_is_banned(service: Service, call: Call) -> Reply | None:
    """After twenty calls with invalid tokens a firewall answers all calls on data requests with a page 403."""
    if call.operation not in (Action.CREATE, Action.READ, Action.DELETE):
        return None
    is_refused = call.authorization and service.authenticate(call) is None
    if "banned" not in service.kept and is_refused and service.turn("refused") == 20:
        service.kept["banned"] = True
    return page(403, "<h1>Blocked</h1>") if "banned" in service.kept else None


@twin("7", alerts=("0-server-errors",), source=sources.CONNECTION_POOLS)
def without_a_database_for_a_moment(service: Service, _call: Call) -> Reply | None:
    """Every call fails for a second and a half, until the database has a connection to spare."""
    now = service.clock.moment()
    if service.turn("calls") == 100:
        service.kept["began"] = now
    is_down = "began" in service.kept and now - service.kept["began"] <= timedelta(seconds=1.5)
    return page(500, "<h1>Internal Server Error</h1>") if is_down else None


_REFUSED = "5.1-accepts-bearer"
"""The specification does not show whether a refused token has expired (5.5)."""


def _expiring(calls: int, *whose: str) -> type[Service]:
    """Return the service that accepts the tokens of the users named in `whose` for the first calls with any of them."""

    def accept(service: Service, user: User | None, _token: str) -> User | None:
        is_meant = user is not None and user.name in whose
        return None if is_meant and service.turn("calls with a token") >= calls else user

    return changing("accept", accept)


add_twin(
    "5.5",
    "tokens-expire-in-the-middle",
    "Both tokens expire in the middle of the run.",
    undecided("3-deletes-completed", "4.1-requested-types", "4.1-empty-body-labelled", "8-completed-do-not-count")
    | dict.fromkeys((_REFUSED, "3-removed"), ("inconclusive",)),
    _expiring(200, "alice.example", "bob.example"),
    source=sources.OAUTH_LIFETIME,
)
add_twin(
    "5.5",
    "one-token-expires",
    "The first user's token expires late in the run; the other user's does not.",
    undecided("3-deletes-completed", "8-completed-do-not-count") | {_REFUSED: ("inconclusive",)},
    _expiring(280, "alice.example"),
    source=sources.OAUTH_LIFETIME,
)


def _put_off(service: Service, status: int, retry_after: str) -> Reply | None:
    """Return the answer to one call in 26, which asks for a retry."""
    headers = {"content-type": "text/plain", "retry-after": retry_after}
    return Reply(status, b"Later", headers) if service.turn("calls") % 26 == 25 else None


@twin("8", source=sources.RETRY_AFTER)
def too_many_requests_until_a_date(service: Service, _call: Call) -> Reply | None:
    """429 with a Retry-After that is a date."""
    return _put_off(service, 429, format_datetime(service.now() + timedelta(seconds=2), usegmt=True))


@twin("7", source=sources.RETRY_AFTER)
def unavailable_until_a_date(service: Service, _call: Call) -> Reply | None:
    """503 with a Retry-After in the oldest date format, which lies in the past."""
    return _put_off(service, 503, f"{service.now() - timedelta(seconds=5):%A, %d-%b-%y %H:%M:%S GMT}")


@twin("8", source=sources.GITHUB_RATE_LIMITS)
def quota_is_forbidden_now_and_then(service: Service, _call: Call) -> Reply | None:
    """403 with Retry-After, from a gateway that counts the calls of a token."""
    return _put_off(service, 403, "1")


@twin("7", source=sources.CLOUDFLARE_ERRORS)
def gateway_fails_now_and_then(service: Service, call: Call) -> Reply | None:
    """Now and then a network in front of the service answers a call with an error status of its own."""
    asks = call.operation not in (Action.CREATE, Action.DELETE)
    number = service.turn("questions") if asks else 0
    if number % 25 != 24:
        return None
    return Reply((520, 408, 425, 524, 509, 599)[number // 25 % 6], b"<h1>Try again</h1>")


@twin("7", source=sources.NGINX_RATE)
def limits_the_rate_without_retry_after(service: Service, _call: Call) -> Reply | None:
    """A proxy answers every twelfth call with 503 and a page of its own, as nginx does by default beyond a rate."""
    is_beyond = service.turn("calls") % 12 == 11
    return page(503, "<h1>503 Service Temporarily Unavailable</h1>") if is_beyond else None


_NEEDS_A_DELETION = undecided(
    "3-deletes-no-other",
    "3-frees-the-limit*",
    "3-removed*",
    "4.1-creates-in-parallel",
    "4.1-refused-creates-nothing",
    "4.2-answers-while-deleted",
    "4.3-*",
    "5.3-rejected-delete-deletes-nothing",
    "8-limit-enforced*",
)
"""Requirements that need a deletion whose effect is uncertain."""


@twin("7", _NEEDS_A_DELETION, source=sources.HEROKU_TIMEOUT, of="delete")
def unavailable_after_a_deletion(service: Service, reply: Reply, _call: Call) -> Reply:
    """Every fifth deletion succeeds but answers 503, because a gateway timed out."""
    return Reply(503, b"Later", {"retry-after": "0"}) if service.turn("deletions") % 5 == 4 else reply


_NEEDS_A_COUNT = undecided(
    "3-frees-the-limit", "4.1-refused-creates-nothing", "3-deletes-completed", "8-completed-do-not-count"
)


@twin("7", _NEEDS_A_COUNT, source=sources.HEROKU_TIMEOUT, of="create")
def unavailable_after_a_creation(service: Service, reply: Reply, _call: Call) -> Reply:
    """Every twelfth creation succeeds but answers 503, because a router stopped waiting, as Heroku's does."""
    stored = reply.status == 200 and service.turn("creations") % 12 == 11
    return page(503, "<h1>Application error</h1>") if stored else reply


@twin("8", source="8, paragraph 1, sentence 2", at="perform")
async def takes_its_time(service: Service, _call: Call) -> None:
    """Every answer takes another few milliseconds: the specification states no time-outs."""
    await asyncio.sleep(service.turn("jitter") * 7 % 5 / 1000)


def _no_connection(service: Service, call: Call) -> Reply | None:
    """Return the answer to one call in 20 of an operation, before anything is done."""
    return crash("No connection is free.") if service.turn(call.operation) % 20 == 3 else None


@twin("7", alerts=("0-server-errors",), source=sources.CONNECTION_POOLS)
def settings_fail_now_and_then(service: Service, call: Call) -> Reply | None:
    """The database has no free connection for the settings now and then: 5xx are not shown."""
    return _no_connection(service, call) if call.operation is Action.SETTINGS else None


@twin(
    "7",
    {"4.2-answers-while-deleted": ("inconclusive",)},
    alerts=("0-server-errors",),
    source=sources.CONNECTION_POOLS,
)
def readings_fail_now_and_then(service: Service, call: Call) -> Reply | None:
    """The database has no free connection for the reading of a request with a token now and then."""
    exists = service.authenticate(call) is not None and service.store.get(call.request_id) is not None
    return _no_connection(service, call) if call.operation is Action.READ and exists else None


@twin("0", source=sources.NODE_KEEP_ALIVE)
def closes_now_and_then(service: Service, call: Call) -> Reply | None:
    """The connection is closed without an answer to a reading without a token once, and not when it is repeated."""
    concerned = call.operation is Action.READ and not call.authorization
    return Reply(NO_ANSWER) if concerned and service.turn("readings") % 4 == 1 else None


_REFUSALS = undecided(
    "2.4-*",
    "5.3-read-*",
    "5.3-delete-*",
    "5.3-letter-case",
    "5.3-rejected-delete-deletes-nothing",
    "7-language-not-supported*",
    "7-unauthorized-*",
)


@twin("5.3", _REFUSALS, source=sources.KUBERNETES_ROLLOUT)
def restarts_for_a_while(service: Service, call: Call) -> Reply | None:
    """While the service restarts, it closes the connections of all calls, with and without a valid token."""
    is_refused = call.operation is Action.READ and call.authorization and not service.authenticate(call)
    if "left" not in service.kept and not is_refused:
        return None
    service.kept["left"] = service.kept.get("left", 60) - 1
    return Reply(NO_ANSWER) if service.kept["left"] >= 0 else None
