"""Whether the tokens are accepted, last long enough, and belong to different users."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Final

from conformance.client.api import Api
from conformance.http.clock import AGREE
from conformance.http.secrets.words import ShortToken, why_short
from conformance.model.account import jwt_claims
from conformance.model.error_table import REFUSED_CREDENTIALS
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Note
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.model.target import Token
from conformance.model.text import time_in_words
from conformance.model.verdict import Blame, Exit
from conformance.rules.moments import clock_difference

LEEWAY: Final = 300.0
"""Seconds for which services may still accept an expired token, because clocks differ."""

_SOON: Final = 60.0
"""Seconds in which a run of the usual size ends, except at a slow service."""

Fact = tuple[str, str]
"""A name and a sentence worth knowing before a run."""

_NAMES: Final = {
    USER: "The access token",
    OTHER_USER: "The second user's access token",
}


def try_tokens(service: Api, *, may_create: bool) -> Iterator[Note | Fact]:
    """Yield whether the tokens are accepted; with `may_create`, a creation may settle it."""
    credentials = service.session.credentials
    if USER.label not in credentials:
        yield Note(
            Blame.CREDENTIAL,
            "No access token was given, and the full profile creates, reads and deletes data requests.",
            "Log in with 'drsi-conformance login', or give a token as DRSI_TOKEN, with --token-file or with "
            "--token-command; or use --profile public.",
            Exit.USAGE,
        )
        return
    if problem := _that_is_a_type(service):
        yield problem
        return
    callers = [caller for caller in _NAMES if caller.label in credentials]
    questions = [partial(service.read, service.unknown_id(), caller) for caller in callers]
    # The account is read before the checks write anything, because its values must not appear anywhere.
    accounts = [partial(service.data_me, caller) for caller in callers]
    asked = service.session.parallel([*questions, *accounts])
    if not _accepted(service, USER, asked[0], may_create):
        yield _refused(service, USER, asked[0], may_create)
        return
    service.session.results.data_me = asked[len(callers)]
    if problem := _not_to_refuse(service) or _of_a_person(service, asked[len(callers) :]):
        yield problem
        return
    yield "token", "accepted"
    for caller in _NAMES:
        yield from _lasts(service, caller)
    if OTHER_USER.label not in credentials:
        yield "second user", "none given (DRSI_OTHER_TOKEN); isolation of users is not looked at"
    elif credentials[USER.label].current() == credentials[OTHER_USER.label].current():
        yield Note(
            Blame.CONFIGURATION,
            "DRSI_TOKEN and DRSI_OTHER_TOKEN are the same token.",
            "Give the token of another user as DRSI_OTHER_TOKEN, or leave it out.",
            Exit.USAGE,
        )
    elif not _accepted(service, OTHER_USER, asked[1], may_create):
        yield _refused(service, OTHER_USER, asked[1], may_create)
    else:
        yield _different_users(service, asked[2:])


def _that_is_a_type(service: Api) -> Note | None:
    """Return the problem of a secret that is part of the name of a data type, which every list and creation has.

    It is known only after the first answers. Nothing was created or written by then.
    """
    session = service.session
    listed = (each.get("type") for each in session.results.data_types or () if isinstance(each, dict))
    types = "\n".join(map(str, listed)).lower()
    used = [*session.credentials.values(), *session.target.refused.values()]
    for secret in [*(each.current() for each in used), *(value for _, value in session.secrets.further)]:
        if secret.lower() not in types or why_short(secret):
            continue
        if not session.target.allow_short_token:
            fault = ShortToken("A token or a value of --header", "GET /data lists a data type that contains it")
            return Note(Blame.CONFIGURATION, str(fault), fault.remedy, Exit.USAGE)
        session.secrets.note_words(types)
    return None


def _of_a_person(service: Api, accounts: list[Exchange]) -> Note | None:
    """Return the problem of an account elsewhere that has data, and that the tester does not confirm as one for tests.

    No client can tell a person's account from one for tests, and a run creates and cancels requests in it.
    """
    session = service.session
    if session.target.account_is_for_testing or session.is_local or not any(map(_account, accounts)):
        return None
    return Note(
        Blame.CONFIGURATION,
        "The account may be a person's: GET /data/me describes it, and the service is not on this machine or a private "
        "network. A run creates and deletes data requests in the account, and records its responses.",
        "Use an account that exists for tests, and confirm it with --account-is-for-testing; or use --profile public.",
        Exit.USAGE,
    )


def _not_to_refuse(service: Api) -> Note | None:
    """Return the problem if a token that the service has to refuse is one that it may accept."""
    used = {token.current() for token in service.session.credentials.values()}
    for label, token in service.session.target.refused.items():
        variable = REFUSED_CREDENTIALS[label]
        if token.current() in used:
            remedy = f"Give {label} as {variable}, or leave it out."
            return Note(Blame.CONFIGURATION, f"{variable} is the token of a user of the run.", remedy, Exit.USAGE)
    expired = service.session.target.expired
    left = None if expired is None else _until(service, expired)
    if left is not None and left > -LEEWAY:
        when = f"expires in {time_in_words(left)}" if left > 0 else f"expired only {time_in_words(-left)} ago"
        return Note(
            Blame.CONFIGURATION,
            f"The token in DRSI_EXPIRED_TOKEN {when} by its claim exp.",
            f"Give a token that expired more than {time_in_words(LEEWAY)} ago, as services may allow for clocks that "
            "differ; or leave it out.",
            Exit.USAGE,
        )
    return None


def _until(service: Api, token: Token) -> float | None:
    """Return the seconds until the claim exp of a JWT, which is read and not verified; None without one."""
    try:
        expires = float(jwt_claims(token.current())["exp"])
    except (KeyError, ValueError):
        return None
    # The service lets it expire, by its own clock.
    seen = (clock_difference(each) for each in service.session.record.in_order())
    ahead = next((each for each in seen if each is not None and abs(each) > AGREE), timedelta())
    return expires - (service.session.clock.now() + ahead).timestamp()


def _seconds_left(service: Api, caller: Identity) -> float | None:
    """Return the seconds until a user's JWT expires; None if that is not known or the token can be renewed."""
    token = service.session.credentials.get(caller.label)
    if token is None or token.renewable:
        return None
    return _until(service, token)


def _lasts(service: Api, caller: Identity) -> Iterator[Note]:
    """Yield a problem if the token has expired, or expires so soon that the run may last longer."""
    left = _seconds_left(service, caller)
    if left is not None and left < _SOON:
        when = f"expires in {time_in_words(left)}" if left > 0 else f"expired {time_in_words(-left)} ago"
        yield Note(
            Blame.CREDENTIAL,
            f"{_NAMES[caller]} {when} by its claim exp. The run may last longer.",
            "Use a token that lasts longer, or give a command that prints a new one (--token-command, "
            "--other-token-command).",
        )


def _expired(service: Api, caller: Identity) -> str:
    left = _seconds_left(service, caller)
    return f" By its claim exp it expired {time_in_words(-left)} ago." if left is not None and left <= 0 else ""


def _accepted(service: Api, caller: Identity, asked: Exchange, may_create: bool) -> bool:
    """Tell whether a token is accepted, from the read of a request that does not exist, or from a creation."""
    if not _turned_away(asked):
        return True
    if not may_create:
        return False
    try:
        created = service.post(None, caller)
    except NotDecided:  # the budget has no creation for it
        return False
    service.session.clean_up()
    return not _turned_away(created)


def _turned_away(exchange: Exchange) -> bool:
    """Tell whether a call was refused permanently: 429 and 503 do not concern the token."""
    return exchange.counts and exchange.status in (401, 403)


def _refused(service: Api, caller: Identity, asked: Exchange, may_create: bool) -> Note:
    what = _NAMES[caller]
    if service.record.answered(Operation.SETTINGS, 403):
        return Note(
            Blame.TARGET,
            f"{what} cannot be tried: the target answers 403 to GET /settings as well, which needs no token.",
            "Answer GET /settings without a token.",
        )
    if asked.response is not None and asked.response.status == 403 and not may_create:
        return Note(
            Blame.TARGET,
            f"{what} does not get 404 for a request that does not exist, which is due, but 403.",
            "Answer 404 for a request that does not exist. Whether the token is accepted a run finds out, by creating "
            "one.",
        )
    return Note(
        Blame.CREDENTIAL,
        f"{what} is refused by the target.{_expired(service, caller)}",
        "Get a new token from the OAuth server in GET /settings, for instance with 'drsi-conformance login', and see "
        "that it is meant for this service. If it is, see that a web server in front of the service hands the header "
        "Authorization on: Apache does so to CGI and FastCGI only with CGIPassAuth.",
        Exit.USAGE,
    )


def _different_users(service: Api, asked: list[Exchange]) -> Note | Fact:
    tokens = [service.session.credentials[caller.label].current() for caller in _NAMES]
    subjects = [jwt_claims(token).get("sub") for token in tokens]
    accounts = [_account(exchange) for exchange in asked]
    for what, (mine, theirs) in (("claim sub", subjects), ("account in GET /data/me", accounts)):
        if mine is not None and mine == theirs:
            # Not fatal: a service may return the same account to every user (4.6).
            return Note(
                Blame.CONFIGURATION,
                f"The two tokens seem to be of the same user: they have the same {what}.",
                "If they are, give the token of another user as DRSI_OTHER_TOKEN, or leave it out.",
            )
    known = any(value is not None for value in (*subjects, *accounts))
    return "second user", "accepted, another user" if known else "accepted; perhaps the same user"


def _account(exchange: Exchange) -> str | None:
    if exchange.response is None or exchange.response.status != 200:
        return None
    value = exchange.response.document.value
    # An empty account says nothing about whose it is.
    return repr(value["account"]) if isinstance(value, dict) and value.get("account") else None
