"""Recorded traffic: calls that another program made, as a trace whose kinds are inferred.

A run states what each of its calls asks. Here only the calls and their answers say it, so a call that may ask something
else, or may meet a world that the recording does not show, is open: it decides nothing of its status. Other clients may
use the same account meanwhile, accounts are never empty, and clocks are not those of the suite.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

import httpx

from conformance.facts.world import types_in
from conformance.http.secrets.personal import PersonalData
from conformance.http.secrets.redaction import RunSecrets, without_secrets
from conformance.http.secrets.words import why_short
from conformance.model.error_table import INVALID_DATA_TYPES, LANGUAGE_NOT_SUPPORTED
from conformance.model.errors import ConfigurationFault
from conformance.model.exchange import (
    MISSING,
    Exchange,
    Headers,
    Intent,
    Operation,
    Request,
    Response,
    Superseded,
    header,
    operation,
    same_origin,
)
from conformance.model.formats import is_uuid
from conformance.model.identity import ANONYMOUS, OTHER_USER, USER, created_by
from conformance.model.run_record import Conditions, RunRecord
from conformance.model.strict_json import Content, Unread
from conformance.model.target import Target, Token
from conformance.run.check import judged
from conformance.run.conclusion import Frame, Run
from conformance.run.options import Plan
from conformance.trace.har import har, trace_of

_OF_THE_INTERFACE: Final = re.compile(r"(.*)/(?:settings|data|data/me|requests|requests/[^/?#]+)/?")
_LIKE_A_CREDENTIAL: Final = re.compile("auth|token|key|cookie|session|secret", re.IGNORECASE)
_STRANGER: Final = "a stranger"
"""The credential of a call of which the recording does not show whose it is."""
_ON_REQUESTS: Final = (Operation.CREATE, Operation.READ, Operation.DELETE)


@dataclass(frozen=True)
class Judged:
    """The judgement of recorded traffic, and the secrets that no file may contain, with their marks."""

    run: Run
    sought: list[tuple[str, str]]


def judge(entries: Iterable[Mapping[str, Any]], base_url: str, plan: Plan) -> Judged:
    """Return the judgement of HAR entries of a service at `base_url`; empty: the one that the entries show.

    Tokens and personal values are replaced before anything is judged. Raise ConfigurationFault for what is no HAR,
    for calls of which none is one of the interface, and for several base URLs.
    """
    calls = sorted((call for each in entries if (call := _call_of(each)) is not None), key=lambda each: each.started)
    base_url = (base_url or _base_url_of(calls)).rstrip("/")
    calls = [replace(call, path=path) for call in calls if (path := _path_below(call.url, base_url)) is not None]
    if not any(operation(call.method, call.path) for call in calls):
        raise ConfigurationFault(
            f"No call of the recording is one of the interface below {base_url}.",
            remedy="Name the base_url of the service with --base-url, such as https://service.example/api.",
        )
    inference = _Inference(calls, base_url)
    exchanges = inference.exchanges()
    users = [
        each.label for each in (USER, OTHER_USER) if any(one.request.credential == each.label for one in exchanges)
    ]
    target = Target(base_url=base_url, account_is_empty=False)
    conditions = Conditions(
        target=target.recorded(),
        users=tuple(users),
        is_recorded_traffic=True,
        ever_listed=_ever_listed(exchanges),
    )
    trace = trace_of(har(exchanges, conditions), base_url, {})
    first, last = exchanges[0], exchanges[-1]
    record = RunRecord(options=dict(plan.options), labels=dict(plan.labels))
    frame = Frame(started=first.started, finished=last.started, seed=0, run=record)
    return Judged(judged(trace, plan, frame), [each for each in inference.secrets.sought if each[1] != f"[{each[0]}]"])


# ---------------------------------------------------------------------- what a recording holds


@dataclass(frozen=True)
class _Call:
    """A call of a recording, as it was made and answered."""

    started: datetime
    seconds: float
    method: str
    url: str
    headers: Headers
    body: bytes
    response: Response | None
    path: str = ""
    """Below the base_url, percent-encoded."""


def _call_of(entry: Mapping[str, Any]) -> _Call | None:
    """Return the call of a HAR entry; None for one that no server answered, or whose answer came from a cache.

    Raise ConfigurationFault for what is no entry.
    """
    try:
        asked, given = entry["request"], entry["response"]
        if entry.get("_fromCache") or given["status"] in (0, 304):
            return None
        started = datetime.fromisoformat(entry["startedDateTime"])
        return _Call(
            started=started if started.tzinfo else started.replace(tzinfo=UTC),
            seconds=max(float(entry.get("time") or 0), 0) / 1000,
            method=str(asked["method"]).upper(),
            url=str(asked["url"]),
            headers=_headers(asked),
            body=_bytes_of(asked.get("postData") or {}),
            response=Response(
                status=int(given["status"]),
                reason=str(given.get("statusText") or ""),
                http_version=str(given.get("httpVersion") or "HTTP/1.1"),
                headers=_headers(given),
                content=_content_of(given),
            ),
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ConfigurationFault(
            f"Expected entries of HAR 1.2; received one that is none ({type(error).__name__}: {error}).",
            remedy="Export the recording as HAR, with the bodies of requests and responses.",
        ) from None


def _headers(message: Mapping[str, Any]) -> Headers:
    pairs = ((str(each["name"]), str(each["value"])) for each in message.get("headers") or ())
    return tuple(pair for pair in pairs if not pair[0].startswith(":"))  # those of HTTP/2


def _bytes_of(part: Mapping[str, Any]) -> bytes:
    text = str(part.get("text") or "")
    return base64.b64decode(text) if part.get("encoding") == "base64" else text.encode("utf-8", "surrogatepass")


def _content_of(given: Mapping[str, Any]) -> Content:
    """Return the body of an answer, or what stands for one that the recording lacks."""
    part = given.get("content") or {}
    body = _bytes_of(part)
    stated = header(_headers(given), "content-length") or "0"
    size = max(int(part.get("size") or 0), int(stated) if stated.isdecimal() else 0)
    is_empty = given["status"] == 204 or (part.get("text") == "" and not size)
    return body if body or is_empty else Unread(repr(part).encode(), size, "the recording lacks the body")


def _base_url_of(calls: Sequence[_Call]) -> str:
    """Return the address below which all calls of the interface are; raise ConfigurationFault for several, or none."""
    found = Counter(match[1] for call in calls if (match := _OF_THE_INTERFACE.fullmatch(call.url.partition("?")[0])))
    if len(found) != 1:
        what = f"several base_urls: {', '.join(sorted(found)[:3])}" if found else "no call of the interface"
        raise ConfigurationFault(
            f"Expected the calls of one service; received {what}.",
            remedy="Name the base_url of the service with --base-url, such as https://service.example/api.",
        )
    return next(iter(found))


def _path_below(url: str, base_url: str) -> str | None:
    """Return the path of a call below the base_url, without its query; None for a call elsewhere."""
    without_query = url.partition("#")[0].partition("?")[0]
    try:
        here, base = httpx.URL(without_query), httpx.URL(base_url)
    except httpx.InvalidURL:
        return None
    path, below = here.raw_path.decode(), base.raw_path.decode().rstrip("/")
    is_below = same_origin(without_query, base_url) and path.startswith(f"{below}/")
    return path.removeprefix(below) if is_below else None


# ---------------------------------------------------------------------- what a call asks


class _Inference:
    """The exchanges of a recording, with what their calls and answers show of what they ask."""

    def __init__(self, calls: Sequence[_Call], base_url: str) -> None:
        self._calls = calls
        self._users = _users_of(calls)
        on_requests = (call for call in calls if operation(call.method, call.path) in _ON_REQUESTS)
        self._shows_credentials = any(header(call.headers, "authorization") for call in on_requests)
        credentials = {label: Token(token) for token, label in self._users.items()}
        self._personal = PersonalData(secrets.token_bytes(32), base_url, lambda _: False)
        self.secrets = RunSecrets(credentials, self._personal, {}, list(_further_secrets(calls, self._users)))

    def exchanges(self) -> list[Exchange]:
        """Return the exchanges in the order in which they began, without secrets and personal values."""
        recorded = [self._exchange(number, call) for number, call in enumerate(self._calls, 1)]
        for place, each in enumerate(sorted(recorded, key=lambda one: one.over), 1):
            each.ended = place
        listed = _lasting_types(recorded)
        for each in recorded:
            each.intent = _intent_of(each, recorded, listed)
        _supersede_noise(recorded)
        return [without_secrets(each, self.secrets.redactor) for each in recorded]

    def _exchange(self, number: int, call: _Call) -> Exchange:
        asked = operation(call.method, call.path)
        credential = self._credential_of(call, asked)
        made = Exchange(
            id=f"e{number}",
            check="recorded traffic",
            operation=asked,
            started=call.started,
            seconds=call.seconds,
            request=Request(call.method, call.url, call.headers, call.body, credential),
            path=call.path,
        )
        if call.response is not None:
            made.response = self._personal.recorded(made, call.response)
        made.settle()
        return made

    def _credential_of(self, call: _Call, asked: Operation | None) -> str:
        token = _token_in(call)
        if token in self._users:
            return self._users[token]
        others = any(_LIKE_A_CREDENTIAL.search(name) for name, _ in call.headers)
        if token or others or "?" in call.url or not self._shows_credentials:
            # A recording without any Authorization may have lost it: browsers remove it where they export.
            return ANONYMOUS.label if asked not in _ON_REQUESTS and not token and not others else _STRANGER
        return ANONYMOUS.label


def _token_in(call: _Call) -> str:
    """Return the token of a call; empty for a call that brings none in the usual way."""
    scheme, _, token = (header(call.headers, "authorization") or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _users_of(calls: Iterable[_Call]) -> dict[str, str]:
    """Return the first two tokens that the service accepted, with their labels: two users, or two tokens of one."""
    accepted: dict[str, None] = {}
    for call in calls:
        is_on_requests = operation(call.method, call.path) in _ON_REQUESTS
        if is_on_requests and call.response is not None and 200 <= call.response.status < 300 and _token_in(call):
            accepted.setdefault(_token_in(call))
    return dict(zip(accepted, (USER.label, OTHER_USER.label), strict=False))


def _further_secrets(calls: Iterable[_Call], users: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what else is secret in the calls, each with its mark: further tokens, cookies, keys of gates."""
    known = dict.fromkeys(
        part
        for call in calls
        for name, value in call.headers
        if _LIKE_A_CREDENTIAL.search(name)
        for part in re.split(r'[\s;,="]+', value)
    )
    parts = (part for part in known if not why_short(part) and not any(token in part for token in users))
    yield from (("[SECRET]", part) for part in parts)


def _supersede_noise(exchanges: Sequence[Exchange]) -> None:
    """Let answers that may not be the service's own decide nothing: nobody asks for them again.

    A refusal that is no JSON counts where all calls that ask the same are answered like that.
    """
    answered: dict[tuple[object, ...], list[int]] = {}
    for each in exchanges:
        answered.setdefault(_question(each), []).append(each.status)
    for each in exchanges:
        alike = answered[_question(each)]
        if each.status == 429:
            each.supersede(Superseded.RATE_LIMITED)
        elif each.status >= 500:
            each.supersede(Superseded.UNAVAILABLE)
        elif 300 <= each.status < 400 or each.intent.request == _GONE:  # a redirect, which the client followed
            each.supersede(Superseded.PASSING)
        elif each.status >= 400 and each.response is not None and each.response.document.problem:
            is_usual = len(alike) >= _OF_ITS_KIND and len({*alike}) == 1 and not each.intent.open
            if not is_usual:
                each.supersede(Superseded.PASSING)


_OF_ITS_KIND: Final = 2
"""Refusals that are no JSON and that are alike: one may be of a gateway."""

_GONE: Final = "gone"
"""What a call asks for that is missing although the recording shows no deletion: another client may have removed it."""


def _question(exchange: Exchange) -> tuple[object, ...]:
    intent = exchange.intent
    return exchange.operation, exchange.request.credential, intent.request, intent.body, intent.label, intent.language


def _lasting_types(exchanges: Iterable[Exchange]) -> frozenset[str]:
    """Return the types that every list of the recording names."""
    lists = [
        frozenset(types_in(value))
        for each in exchanges
        if each.operation is Operation.DATA and each.status == 200 and each.response is not None
        if isinstance(value := each.response.document.value, list)
    ]
    return frozenset.intersection(*lists) if lists else frozenset()


def _ever_listed(exchanges: Iterable[Exchange]) -> tuple[str, ...] | None:
    lists = [
        types_in(value)
        for each in exchanges
        if each.operation is Operation.DATA and each.status == 200 and each.response is not None
        if isinstance(value := each.response.document.value, list)
    ]
    return tuple(sorted({each for one in lists for each in one})) if lists else None


def _intent_of(exchange: Exchange, exchanges: Sequence[Exchange], listed: frozenset[str]) -> Intent:
    """Return what a call asks, as far as the recording shows it."""
    request = exchange.request
    is_odd = "?" in request.url
    if exchange.operation is Operation.CREATE:
        racing = any(_overlap(exchange, each) for each in exchanges if each.operation is Operation.CREATE)
        asked = _of_a_creation(exchange, listed)
        is_open = is_odd or asked.body == "odd" or not _is_decided(exchange)
        return replace(asked, racing=racing, open=is_open, unusual=is_odd)
    if exchange.operation in _ON_REQUESTS:
        about = [each for each in exchanges if each.request_id == exchange.request_id and each.operation is not None]
        created = ((each, created_by(each)) for each in exchanges)
        made = next((each for each, one in created if one and one.request_id == exchange.request_id), None)
        racing = any(_overlap(exchange, each) for each in about if each.operation is Operation.DELETE)
        meant = _of_a_request(exchange, made, about)
        is_open = is_odd or meant in ("", _GONE) or not _is_decided(exchange)
        return Intent(request=meant, racing=racing, open=is_open, unusual=is_odd)
    language = "supported" if header(request.headers, "accept-language") else None
    if language and exchange.status == 400 and exchange.response is not None:
        is_named = exchange.response.member("error") == LANGUAGE_NOT_SUPPORTED.error
        language = "unsupported" if is_named else "malformed"
    offered = request.credential != ANONYMOUS.label
    return Intent(offered=offered, unusual=is_odd, language=language, open=is_odd)


def _is_decided(exchange: Exchange) -> bool:
    """Tell whether the status says something of the service: a refused token may have expired, or be of another."""
    if exchange.request.credential == _STRANGER:
        return False
    return exchange.request.credential == ANONYMOUS.label or exchange.status not in (401, 403)


def _of_a_creation(exchange: Exchange, listed: frozenset[str]) -> Intent:
    request = exchange.request
    body, label = request.body, header(request.headers, "content-type")
    is_plain = not any(header(request.headers, name) for name in ("transfer-encoding", "content-encoding", "expect"))
    if not body:
        return Intent(body="omitted" if is_plain and label is None else "odd")
    try:
        types = json.loads(body)
    except ValueError:
        return Intent(body="odd")
    is_list = isinstance(types, list) and types and all(isinstance(each, str) for each in types)
    if not is_list or len({*types}) < len(types) or label != "application/json" or not is_plain:
        return Intent(body="odd")
    if listed.issuperset(types):
        return Intent(body="known types", types=types)
    # What the recording does not list may be listed for this user, or in another language.
    refused = exchange.response is not None and exchange.response.member("error") == INVALID_DATA_TYPES.error
    return Intent(body="unknown type" if refused else "odd", types=types if refused else None)


def _of_a_request(exchange: Exchange, made: Exchange | None, about: Sequence[Exchange]) -> str:
    """Return what a reading or deletion asks for, such as "deleted"; empty where the recording does not show it."""
    if made is None:
        return "unknown" if exchange.status == 404 and is_uuid(exchange.request_id) else ""
    caller = exchange.request.credential
    if caller not in (made.request.credential, ANONYMOUS.label):
        return "foreign" if exchange.status >= 400 else ""  # two tokens may be of one user
    if made.over >= exchange.sent:
        return ""
    others = (each for each in about if each is not exchange and each.sent < exchange.over)
    deletions = [each for each in others if each.operation is Operation.DELETE]
    if any(each.status == 200 and each.over < exchange.sent for each in deletions):
        return "deleted"
    if exchange.status in MISSING:
        return _GONE
    return "" if deletions else "existing"


def _overlap(one: Exchange, other: Exchange) -> bool:
    """Tell whether two different calls were made at the same time."""
    return one is not other and one.sent < other.over and other.sent < one.over
