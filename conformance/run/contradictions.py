"""What a recorded exchange says of itself and cannot be: somebody altered it, and made new digests.

No verdict rests on these members, but people read them: another Host is another service. The suite writes none of them
otherwise than HTTP and the exchange itself demand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import httpx

from conformance.http.appearance import header_of
from conformance.http.secrets.personal import shows_account
from conformance.judge.moments import date_of
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import EARLIER, Exchange, Headers, Operation, header, operation
from conformance.model.further_headers import is_marked
from conformance.model.identity import ANONYMOUS, created_by
from conformance.model.strict_json import LARGE, Content, Unread
from conformance.model.text import count
from conformance.trace import har
from conformance.trace.har import conditions_in
from conformance.trace.trace import Trace

Contradiction = tuple[str, Any, Any]
"""What is meant, in words; what the evidence says; what it would say."""

_COMPARED_OTHERWISE: Final = (
    *("_digest", "_check", "_operation", "_intent", "_token_had_expired", "_redirected_from"),
)
"""Members of an exchange that its digest, or the judge, shows."""

_WITHOUT_BODY: Final = (204, 304)
_OTHER_CLOCK: Final = timedelta(minutes=1)
"""The clocks of the machines of a service differ by less, and so does a Date that is cut to the second."""


def within(evidence: har.Har, trace: Trace, nonce: str) -> Iterator[Contradiction]:
    """Yield each contradiction in evidence of this build, whose trace and nonce are given."""
    yield from _of_members(evidence, trace.exchanges)
    if not trace.conditions.is_recorded_traffic:  # whose client is another one, and whose secrets have other marks
        yield from _of_lengths(trace.exchanges)
        yield from _of_the_client(trace, nonce)
    yield from _of_earlier_runs(trace.exchanges)
    yield from _of_the_order(trace.exchanges)
    yield from _of_calls(trace)


def _of_members(evidence: har.Har, exchanges: Sequence[Exchange]) -> Iterator[Contradiction]:
    """Yield each member that this build writes otherwise, or not at all, for these exchanges."""
    log = evidence["log"]
    yield from _unequal({**evidence, "log": {**log, "entries": []}}, har.har([], conditions_in(evidence)))
    entries = har.Entries()
    for entry, exchange in zip(log["entries"], exchanges, strict=True):
        again = entries.of(exchange)
        for name in _COMPARED_OTHERWISE:
            again[name] = entry.get(name)
        for what, recorded, expected in _unequal(entry, again):
            yield f"{what} of the exchange {exchange.id}", recorded, expected


def _unequal(found: har.Har, expected: har.Har, path: str = "") -> Iterator[Contradiction]:
    for name in dict.fromkeys((*found, *expected)):
        one, other = found.get(name), expected.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from _unequal(one, other, f"{path}{name}.")
        elif one != other:
            yield f"{path}{name}", one, other


def _of_lengths(exchanges: Sequence[Exchange]) -> Iterator[Contradiction]:
    """Yield each Content-Length that is not the length of the body. A body with a redacted value shows no length."""
    labels = {each.request.credential for each in exchanges}
    marks = {b"[DRSI_", *(f"[{label}]".encode() for label in labels if label)}
    for each in exchanges:
        sides: list[tuple[str, Headers, Content]] = [("request", each.request.headers, each.request.body)]
        answer = each.response
        if answer and each.counts and not shows_account(each.operation, each.path, answer) and _has_body(each):
            sides.append(("response", answer.headers, answer.content))
        for side, headers, content in sides:
            stated = _lengths_in(headers)
            if max(stated, default=LARGE) >= LARGE or isinstance(content, Unread):
                continue
            body = content if isinstance(content, bytes) else content.read()
            if stated != {len(body)} and not any(mark in body for mark in marks):
                what = f"Content-Length of the {side} of the exchange {each.id}"
                yield what, ", ".join(map(str, sorted(stated))), str(len(body))


def _of_the_client(trace: Trace, nonce: str) -> Iterator[Contradiction]:
    """Yield each User-Agent and Host that this build does not send to this target for this nonce."""
    agent = header_of(nonce, anonymous=trace.target.anonymous)["User-Agent"]
    for each in (one for one in trace.exchanges if one.check != EARLIER):
        url = httpx.URL(each.request.url)
        host = trace.target.app_host or url.netloc.decode()
        for name, expected in (("User-Agent", agent), ("Host", host)):
            sent = header(each.request.headers, name)
            if sent != expected:
                yield f"{name} of the exchange {each.id}", sent, expected


def _of_earlier_runs(exchanges: Sequence[Exchange]) -> Iterator[Contradiction]:
    """Yield where exchanges of an earlier run are not the first ones, and all about one request: they have no nonce."""
    earlier = [each for each in exchanges if each.check == EARLIER]
    left = created_by(earlier[0]) if earlier else None
    about = [each for each in earlier[1:] if left is not None and each.request_id == left.request_id]
    if earlier and (left is None or [*earlier[:1], *about] != [*exchanges[: len(earlier)]]):
        named = ", ".join(each.id for each in earlier[:3])
        yield f"the exchanges of {EARLIER}", named, "the first ones: the creation of one request, and calls for it"


def _of_the_order(exchanges: Sequence[Exchange]) -> Iterator[Contradiction]:
    """Yield where exchanges lack among those that ended, whose places are counted from 1."""
    places = sorted(each.ended for each in exchanges if each.ended)
    if places != [*range(1, len(places) + 1)]:
        yield "the places of the exchanges in the order of their ends", places, f"1 to {len(places)}"


def _of_calls(trace: Trace) -> Iterator[Contradiction]:
    """Yield where an exchange says of its request what the request does not show: rules read what it says."""
    base = unquote(urlsplit(trace.target.base_url).path).rstrip("/")
    for each in trace.exchanges:
        path = unquote(urlsplit(each.request.url).path)
        method = each.request.method if each.operation is None else each.operation.method
        meant = operation(method, each.path) or each.operation
        for what, stated, shown in (
            ("path", unquote(each.path), path.removeprefix(base)),
            ("method", each.request.method, method),
            ("operation", each.operation, meant),
            ("credential", each.request.credential, _credential_shown(each)),
        ):
            if stated != shown:
                yield f"{what} of the exchange {each.id}", stated, shown


def _credential_shown(exchange: Exchange) -> str:
    """Return the label of a credential, or what the header shows where it is another one."""
    label = exchange.request.credential
    sent = header(exchange.request.headers, "authorization")
    if label == ANONYMOUS.label and sent is not None and not is_marked("authorization", sent):
        return f"the header {sent}"
    if label in KNOWN_CREDENTIALS and f"[{KNOWN_CREDENTIALS[label]}" not in (sent or ""):
        return f"the header {sent}"
    return label


def _has_body(exchange: Exchange) -> bool:
    assert exchange.response is not None
    return exchange.request.method != "HEAD" and exchange.response.status not in _WITHOUT_BODY


def _lengths_in(headers: Headers) -> set[int]:
    """Return each Content-Length of a message that is neither coded nor chunked."""
    stated = [value for name, value in headers if name.lower() == "content-length" and value.isdecimal()]
    coded = any(header(headers, name) for name in ("content-encoding", "transfer-encoding"))
    return set() if coded else {int(value) for value in stated}


def odd_dates(exchanges: Sequence[Exchange]) -> Iterator[str]:
    """Yield, in words, which creations have a Date far from the clock that most answers show; rules on times read it.

    An honest service behind several machines may answer so.
    """
    ahead = {each.id: moment - each.started for each in exchanges if (moment := _date_of(each)) is not None}
    if not ahead:
        return
    usual = timedelta(seconds=median(each.total_seconds() for each in ahead.values()))
    creations = [each for each in exchanges if each.operation is Operation.CREATE and each.id in ahead]
    odd = [
        each.id
        for each in creations
        if not -_OTHER_CLOCK < ahead[each.id] - usual < _OTHER_CLOCK + timedelta(seconds=each.seconds)
    ]
    if odd:
        named = ", ".join(odd[:3]) + (", …" if len(odd) > 3 else "")
        yield (
            f"the Date of {count(len(odd), 'creation')} ({named}) is more than a minute from the clock that most "
            "answers show; the rules on createdAt read it"
        )


def _date_of(exchange: Exchange) -> datetime | None:
    return date_of(exchange) if exchange.counts else None
