"""Twins that delay calls, ask for a retry, send many headers or stand behind a platform of the cloud (7, 8)."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from datetime import timedelta
from email.utils import format_datetime

from conformance.calibration import sources
from conformance.calibration.twins.common import UNDECIDED
from conformance.calibration.variant import twin
from conformance.reference.call import NO_ANSWER, Action, Call, Reply
from conformance.reference.service import Service


@twin("4.1", source=sources.LAMBDA_502, at="create")
def odd_bodies_crash_a_function(_service: Service, call: Call) -> Reply | None:
    """A function crashes on a body that is no array of strings, and its gateway answers 502: no table covers such."""
    with suppress(ValueError, RecursionError):
        wanted = json.loads(call.body or b"[]")
        if isinstance(wanted, list) and all(isinstance(each, str) for each in wanted):
            return None
    return Reply.json({"message": "Internal server error"}, 502)


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
    if service.turn("calls") % 12 != 11:
        return None
    return Reply(503, b"<h1>503 Service Temporarily Unavailable</h1>", {"content-type": "text/html"})


_NEEDS_A_DELETION = dict.fromkeys(
    (
        "3-deletes-no-other",
        "3-frees-the-limit",
        "3-frees-the-limit-in-parallel",
        "3-removed",
        "3-removed-in-parallel",
        "4.1-creates-in-parallel",
        "4.1-refused-creates-nothing",
        "4.2-answers-while-deleted",
        "4.3-answers-ok",
        "4.3-media-type",
        "5.3-rejected-delete-deletes-nothing",
        "8-limit-enforced",
        "8-limit-enforced-in-parallel",
    ),
    UNDECIDED,
)
"""Requirements that need a deletion whose effect is uncertain."""


@twin("7", _NEEDS_A_DELETION, source=sources.HEROKU_TIMEOUT)
class _UnavailableAfterADeletion(Service):
    """Every fifth deletion succeeds but answers 503, because a gateway timed out."""

    async def delete(self, call: Call) -> Reply:
        reply = await super().delete(call)
        return Reply(503, b"Later", {"retry-after": "0"}) if self.turn("deletions") % 5 == 4 else reply


_NEEDS_A_COUNT = (
    "3-frees-the-limit",
    "4.1-refused-creates-nothing",
    "3-deletes-completed",
    "8-completed-do-not-count",
)


@twin("7", dict.fromkeys(_NEEDS_A_COUNT, UNDECIDED), source=sources.HEROKU_TIMEOUT)
class _UnavailableAfterACreation(Service):
    """Every twelfth creation succeeds but answers 503, because a router stopped waiting, as Heroku's does."""

    async def create(self, call: Call) -> Reply:
        reply = await super().create(call)
        stored = reply.status == 200 and self.turn("creations") % 12 == 11
        return Reply(503, b"<h1>Application error</h1>", {"content-type": "text/html"}) if stored else reply


@twin("8", source="8, paragraph 1, sentence 2")
class _TakesItsTime(Service):
    """Every answer takes another few milliseconds: the specification states no time-outs."""

    async def perform(self, call: Call) -> Reply:
        await asyncio.sleep(self.turn("jitter") * 7 % 5 / 1000)
        return await super().perform(call)


def _no_connection(service: Service, call: Call) -> Reply | None:
    """Return the answer to one call in 20 of an operation, before anything is done."""
    error = {"error": "Internal Server Error", "message": "No connection is free."}
    return Reply.json(error, 500) if service.turn(call.operation) % 20 == 3 else None


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


_WITH_REFUSED_TOKENS = (
    "5.3-read-without-token",
    "5.3-read-with-bad-token",
    "5.3-delete-without-token",
    "5.3-delete-with-bad-token",
    "5.3-letter-case",
    "7-unauthorized-error",
    "7-unauthorized-message",
)


@twin(
    "5.3",
    dict.fromkeys(
        (
            *(*_WITH_REFUSED_TOKENS, "2.4-object", "2.4-error", "2.4-message", "5.3-rejected-delete-deletes-nothing"),
            *("7-language-not-supported", "7-language-not-supported-error", "7-language-not-supported-message"),
        ),
        UNDECIDED,
    ),
    source=sources.KUBERNETES_ROLLOUT,
)
class _RestartsForAWhile(Service):
    """While the service restarts, it closes the connections of all calls, with and without a valid token."""

    _left: int | None = None

    async def shortcut(self, call: Call) -> Reply | None:
        if self._left is None and call.operation is Action.READ and call.authorization and not self.authenticate(call):
            self._left = 60
        if not self._left:
            return None
        self._left -= 1
        return Reply(NO_ANSWER)
