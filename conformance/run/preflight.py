"""The look at the target before a run, in under ten calls: can the run begin?

It asks whether the address is right, whether the service itself answers there, and whether the tokens are accepted.
What it sees are facts; `explanations.py` says what they mean and what to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto
from functools import partial
from typing import Any, Final

import httpx

from conformance.http.clock import AGREE
from conformance.http.secrets.words import why_short
from conformance.http.session import Session
from conformance.judge.moments import NEAR, clock_difference
from conformance.model.account import jwt_claims, texts
from conformance.model.error_table import UNAUTHORIZED
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import ErrorKind, Exchange, Operation, Response, header, redirect_of, same_origin
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.model.strict_json import HTML
from conformance.model.target import Target, Token
from conformance.scenarios.api import Api

LEEWAY: Final = NEAR.total_seconds()
"""Seconds for which services may still accept an expired token, because clocks differ."""

OF_THE_VERSION: Final = (426, 505)
_OF_THE_NAME: Final = (421,)

OF_THE_CALLER: Final = (403, 406)
"""Statuses that are about the address only where a page for people comes with them, also to a call with a token."""

_OF_THE_CALL: Final = (401, 405, 407)
"""Statuses by which something asks who makes the call, or knows the path and not the method."""

_CHALLENGE: Final = re.compile(r"(?:^|,)\s*([A-Za-z][\w.+-]*)(?=\s|,|$)(?!\s*=)")
"""A scheme in WWW-Authenticate, not one of its parameters."""
OF_AUTHORIZATION: Final = frozenset({"basic", "digest", "negotiate", "ntlm"})
"""Schemes of the header in which the interface sends the access token."""
_KEY: Final = re.compile(r"(?i)\b(api|subscription|consumer)[ _-]?key\b|\bclient id missing|unregistered callers")
_OF_AMAZON: Final = ("Forbidden", "Missing Authentication Token")
_CERTIFICATE: Final = re.compile(r"(?i)\b(SSL|TLS|client)\b.{0,40}\bcertificate\b")
_WORDS: Final = "log-?in|sign-?in|sso|saml2?|oauth2?|openid|authorize|auth|access"
_LOGIN: Final = re.compile(rf"(?i)(^|[./_-])({_WORDS})([./_-]|$)")


class Symptom(Enum):
    """What a run cannot begin with."""

    GATE = auto()
    AUTHORIZATION_REFUSED = auto()
    NO_ANSWER = auto()
    OTHER_ORIGIN = auto()
    WEBSITE = auto()
    NOTHING_THERE = auto()
    NO_TOKEN = auto()
    TOKEN_IS_PUBLISHED = auto()
    TOKEN_TO_REFUSE_IN_USE = auto()
    TOKEN_NOT_YET_EXPIRED = auto()
    ACCOUNT_OF_A_PERSON = auto()
    TOKEN_REFUSED = auto()
    SAME_TOKEN = auto()
    BUDGET_SPENT = auto()


@dataclass(frozen=True)
class Obstacle:
    """Why a run cannot begin."""

    symptom: Symptom
    shown: Exchange | None = None
    credential: str = ""
    """The label of the token that it is about."""
    reason: NotDecided | None = None
    """What ended the calls."""


@dataclass
class Look:
    """What the preflight saw."""

    settings: Exchange | None = None
    data: Exchange | None = None
    """The answers of the service, with a token where only that opens them; None if it was not reached."""
    tried: dict[str, Exchange] = field(default_factory=dict)
    """The read of a request that does not exist, by the label of the token."""
    accounts: dict[str, Exchange] = field(default_factory=dict)
    """GET /data/me, by the label of the token."""
    refused: set[str] = field(default_factory=set)
    """The labels of the tokens that the service did not accept."""
    obstacle: Obstacle | None = None


def look(session: Session, *, needs_token: bool, may_create: bool = False) -> Look:
    """Look at the target; with `may_create`, a creation may settle whether a token is accepted."""
    seen, service = Look(), Api(session)
    try:
        with session.attributed_to("doctor"):
            seen.obstacle = _reach(service, seen)
            if seen.obstacle is None and needs_token:
                seen.obstacle = _try_tokens(service, seen, may_create=may_create)
    except NotDecided as reason:
        if session.clock.ended is None:  # the report itself names the end of the time
            seen.obstacle = Obstacle(Symptom.BUDGET_SPENT, reason=reason)
    return seen


def _reach(service: Api, seen: Look) -> Obstacle | None:
    """Return why the service is not reached under its address; None if it is: then its answers are kept."""
    session = service.session
    settings, data = session.parallel([service.settings, service.data])
    if _gate_before(session.target, (settings, data)) is not None:
        settings, data = service.heard(settings, data)  # a service of its own accepts the token
    obstacle = (
        _gate(service, settings, data)
        or _unreached(settings, data)
        or _elsewhere(settings, data)
        or _nothing_there(service, settings, data)
    )
    if obstacle is None:
        seen.settings, seen.data = service.heard(settings, data)
    return obstacle


def _others(service: Api, *, of_the_caller: bool = False) -> list[Exchange]:
    """Ask for what the other paths that can be read are answered, and what a token changes where it may."""
    calls: list[Callable[[], Exchange]] = [partial(service.read, service.unknown_id()), service.data_me]
    if of_the_caller and USER.label in service.session.credentials:
        calls.append(partial(service.settings, USER, offered=True))
    return service.session.parallel(calls)


def _gate(service: Api, *answers: Exchange) -> Obstacle | None:
    """Return a gate before all paths. What refuses only some of them is the service's own (5.4)."""
    target = service.session.target
    if _gate_before(target, answers) is None:
        return None
    return _gate_before(target, [*answers, *_others(service)])


def _gate_before(target: Target, exchanges: Sequence[Exchange]) -> Obstacle | None:
    """Return a gate that answered each of some calls in place of the service: a product before it, told by its answer.

    A service may refuse the credential of a gate that passes it on (5, item 4): it is an obstacle to any of the calls.
    """
    if all(_is_of_a_gate(target, each) for each in exchanges):
        return Obstacle(Symptom.GATE, exchanges[0])
    passed_on = exchanges if header(target.headers, "authorization") else ()
    refused = (each for each in passed_on if each.status in (400, 401, 403))
    return next((Obstacle(Symptom.AUTHORIZATION_REFUSED, each) for each in refused), None)


def _is_of_a_gate(target: Target, exchange: Exchange) -> bool:
    """Tell whether an answer is one that no service gives: it asks for something beside the access token."""
    answer = exchange.response
    if answer is None or answer.status == 407 or wants_certificate(answer):
        return answer is not None
    if 300 <= answer.status < 400 or exchange.redirected_from:
        return bool(login_of(exchange))
    schemes, message = challenges(answer), answer.member("message")
    if answer.status not in (401, 403) or "bearer" in schemes or message == UNAUTHORIZED.message:
        return False
    if schemes.keys() & OF_AUTHORIZATION:
        return not header(target.headers, "authorization")
    of_amazon = answer.status == 403 and (answer.header("x-amzn-errortype") or message in _OF_AMAZON)
    return bool(schemes or of_amazon or _KEY.search(answer.text))


def wants_certificate(answer: Response) -> bool:
    """Tell whether a page asks for a client certificate."""
    return answer.status in (400, 403, 495, 496) and _CERTIFICATE.search(answer.text) is not None


def challenges(answer: Response) -> dict[str, str]:
    """Return the schemes in WWW-Authenticate, by their names in lower case."""
    challenge = " , ".join(value for name, value in answer.headers if name.lower() == "www-authenticate")
    return {each.lower(): each for each in _CHALLENGE.findall(re.sub('"[^"]*"', '""', challenge))}


def login_of(exchange: Exchange) -> str:
    """Return the place of a login for browsers to which a call is redirected; "" if it is none."""
    answer, location = exchange.response, redirect_of(exchange)
    if answer is None or (location is None and not exchange.redirected_from):
        return ""
    there = location or httpx.URL(exchange.request.url)
    elsewhere = not same_origin(there, exchange.request.url)
    host, _, path = str(there.copy_with(query=None)).partition("://")[2].partition("/")
    if path.rpartition("/")[2] in ("settings", "data") or (answer.status < 300 and answer.document.problem is None):
        return ""  # the service has moved
    if not (_LOGIN.search(path) or (elsewhere and _LOGIN.search(host))):
        return ""
    return f"{there.scheme}://{host}" if elsewhere else f"/{path}"


def _unreached(settings: Exchange, data: Exchange) -> Obstacle | None:
    if settings.counts or (data.response and settings.error is ErrorKind.TRUNCATED):
        return None
    return Obstacle(Symptom.NO_ANSWER, settings)


def _elsewhere(settings: Exchange, data: Exchange) -> Obstacle | None:
    """Return the obstacle of an address that redirects every call to another origin, or that is a website."""
    if other_origin(settings) is not None and other_origin(data) is not None:
        return Obstacle(Symptom.OTHER_ORIGIN, settings)
    answers = [exchange.response for exchange in (settings, data) if exchange.response is not None]
    # An error answer in HTML does not concern the address, nor does a warning of PHP before the document.
    pages = [answer for answer in answers if answer.status not in (404, 410)]
    is_website = len(answers) == 2 and pages and all(answer.status < 300 and _is_html(answer) for answer in pages)
    return Obstacle(Symptom.WEBSITE) if is_website else None


def _is_html(answer: Response) -> bool:
    start = answer.text.lstrip("\ufeff \r\n\t")[:1000]
    return start.startswith("<") and HTML.search(start.encode("utf-8", "replace")) is not None


def other_origin(exchange: Exchange) -> httpx.URL | None:
    """Return the target of a redirect to another origin, or None."""
    there = redirect_of(exchange)
    return None if there is None or same_origin(there, exchange.request.url) else there


def _nothing_there(service: Api, settings: Exchange, data: Exchange) -> Obstacle | None:
    """Return the obstacle of an address that gives one answer to every path, which no service does."""
    seen = _answered(settings, data)
    if len(seen) < 2 or not _is_one_answer(seen):
        return None
    others = _answered(*_others(service, of_the_caller=seen[0][1].status in OF_THE_CALLER))
    return Obstacle(Symptom.NOTHING_THERE, settings) if others and _is_one_answer([*seen, *others]) else None


def _answered(*exchanges: Exchange) -> list[tuple[Exchange, Response]]:
    return [(each, each.response) for each in exchanges if each.response is not None and each.counts]


def _is_one_answer(answered: Sequence[tuple[Exchange, Response]]) -> bool:
    """Tell whether all calls got the same answer, whatever their path, and one that no service has for each of them."""
    answers = [answer for _, answer in answered]
    statuses = {answer.status for answer in answers}
    if statuses <= {*OF_THE_VERSION, *_OF_THE_NAME}:
        return True
    refused = all(status >= 400 for status in statuses) and statuses.isdisjoint(_OF_THE_CALL)
    if not statuses.isdisjoint(OF_THE_CALLER):
        refused &= all(answer.document.problem and answer.body.strip() for answer in answers)
    # A server without a page of its own for a name answers all of it with 200, and no body, a sentence or one page.
    # The record of GET /data/me has other letters than its answer, so its page cannot be compared.
    bodies = {answer.body for exchange, answer in answered if not exchange.request.url.endswith("/data/me")}
    of_a_document = rb"[{\[]" if len(bodies) == 1 else rb"[{\[<]"
    silent = statuses == {200} and not any(re.search(of_a_document, answer.body) for answer in answers)
    # The text of a page is written for people, and differs from call to call: that shows no route.
    forms = {(answer.status, answer.media_type, _members(answer)) for answer in answers}
    return len(forms) == 1 and (refused or silent)


def _members(answer: Response) -> frozenset[str]:
    value = answer.document.value
    return frozenset(value) if isinstance(value, dict) else frozenset()


def _try_tokens(service: Api, seen: Look, *, may_create: bool) -> Obstacle | None:
    """Return why the tokens cannot be used; None if the service accepts them, or does not say."""
    session = service.session
    credentials = session.credentials
    if USER.label not in credentials:
        return Obstacle(Symptom.NO_TOKEN)
    if _is_published(session):
        return Obstacle(Symptom.TOKEN_IS_PUBLISHED)
    callers = [caller for caller in (USER, OTHER_USER) if caller.label in credentials]
    labels = [caller.label for caller in callers]
    questions = [partial(service.read, service.unknown_id(), caller) for caller in callers]
    # The account is read before the checks write anything, because its values must not appear anywhere.
    asked = session.parallel([*questions, *(partial(service.data_me, caller) for caller in callers)])
    seen.tried = dict(zip(labels, asked, strict=False))
    seen.accounts = dict(zip(labels, asked[len(callers) :], strict=True))
    obstacle = _refusal(service, USER, seen, may_create=may_create)
    if USER.label in seen.refused:
        return obstacle
    session.results.data_me = seen.accounts[USER.label]
    used = {label: token.current() for label, token in credentials.items()}
    for label, token in session.target.refused.items():
        if token.current() in used.values():
            return Obstacle(Symptom.TOKEN_TO_REFUSE_IN_USE, credential=label)
    expired = session.target.expired
    left = None if expired is None else seconds_left(session, expired, session.clock.now())
    if left is not None and left > -LEEWAY:
        return Obstacle(Symptom.TOKEN_NOT_YET_EXPIRED)
    # No client can tell a person's account from one for tests, and a run creates and cancels requests in it.
    if not session.target.account_is_for_testing and not session.is_local and any(map(account, seen.accounts.values())):
        return Obstacle(Symptom.ACCOUNT_OF_A_PERSON)
    if OTHER_USER.label not in credentials:
        return None
    if used[USER.label] == used[OTHER_USER.label]:
        return Obstacle(Symptom.SAME_TOKEN)
    return _refusal(service, OTHER_USER, seen, may_create=may_create)


def _is_published(session: Session) -> bool:
    """Tell whether a secret is part of a text of GET /data or GET /settings, of which the record would lack it.

    It is known only after the first answers. Nothing was created or written by then.
    """
    settings = [answer_of(each).document.value for each in session.record.answered(Operation.SETTINGS, 200)]
    published = "\n".join(texts([session.results.data_types, *settings])).lower()
    tokens = [*session.credentials.values(), *session.target.refused.values()]
    secrets = [*(each.current() for each in tokens), *(value for _, value in session.secrets.further)]
    contained = any(each.lower() in published and not why_short(each) for each in secrets)
    if contained and session.target.allow_short_token:
        session.secrets.note_words(published)
        return False
    return contained


def _refusal(service: Api, caller: Identity, seen: Look, *, may_create: bool) -> Obstacle | None:
    """Note whether a token is refused; return the obstacle if nothing but the token can be the reason."""
    asked = seen.tried[caller.label]
    if not _is_turned_away(asked) or (may_create and _may_create(service, caller)):
        return None
    seen.refused.add(caller.label)
    if service.record.answered(Operation.SETTINGS, 403) or (asked.status == 403 and not may_create):
        return None
    return Obstacle(Symptom.TOKEN_REFUSED, credential=caller.label)


def _may_create(service: Api, caller: Identity) -> bool:
    try:
        created = service.post(None, caller)
    except NotDecided:  # the budget has no creation for it
        return False
    service.session.clean_up()
    return not _is_turned_away(created)


def _is_turned_away(exchange: Exchange) -> bool:
    """Tell whether a call was refused permanently: 429 and 503 do not concern the token."""
    return exchange.counts and exchange.status in (401, 403)


def seconds_left(session: Session, token: Token, moment: datetime) -> float | None:
    """Return the seconds from a moment until the claim exp of a JWT, which is not verified; None without one."""
    try:
        expires = float(jwt_claims(token.current())["exp"])
    except (KeyError, ValueError):
        return None
    # The service lets it expire, by its own clock.
    differences = (clock_difference(each) for each in session.record.in_order())
    ahead = next((each for each in differences if each is not None and abs(each) > AGREE), timedelta())
    return expires - (moment + ahead).timestamp()


def account(exchange: Exchange) -> Any:
    """Return the account that GET /data/me shows; None for an empty one, which says nothing about whose it is."""
    answer = exchange.response
    value = answer.document.value if answer is not None and answer.status == 200 else None
    return value.get("account") or None if isinstance(value, dict) else None
