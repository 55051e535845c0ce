"""Is the target there, is it what it should be, and are the tokens accepted? Under ten calls that change nothing."""

from __future__ import annotations

from contextlib import suppress

import httpx

from conformance.client.public import document
from conformance.client.user import UserClient
from conformance.http.session import Session
from conformance.model.errors import OF_THE_ANSWER, NotDecided
from conformance.model.exchange import ErrorKind, Exchange
from conformance.model.findings import Note
from conformance.model.text import shorten
from conformance.model.verdict import Blame, Exit
from conformance.runner.diagnosis import Diagnosis
from conformance.runner.doctor_connection import clocks, other_scheme, way
from conformance.runner.doctor_tokens import try_tokens


def examine(session: Session, *, needs_token: bool, may_create: bool = False) -> Diagnosis:
    """Look at the target; `may_create` lets a creation settle whether a token is accepted."""
    session.begin("doctor")
    service, found = UserClient(session), Diagnosis()
    try:
        _look(service, found, needs_token=needs_token, may_create=may_create)
    except NotDecided as error:  # a budget ended before there was anything to judge by
        if not session.clock.ran_out:  # of the time of the run the report tells, which a budget does not prevent
            found.problems.append(Note(error.blame, error.message, error.remedy, Exit.INCONCLUSIVE))
    return found


def _look(service: UserClient, found: Diagnosis, *, needs_token: bool, may_create: bool) -> None:
    session = service.session
    settings, data = session.parallel([service.settings, service.data])
    if other_scheme(session, (settings, data), found) or _unreachable(settings, found):
        return
    if _elsewhere(settings, data, session.target.base_url, found) or _wrong_address(settings, data, found):
        return
    found.facts.append(("address", f"{session.target.base_url} answers"))
    way(session, found, sends_tokens=needs_token)
    clocks(settings, found)
    _documents(settings, data, found)
    service.heard(settings, data)
    _published(service, found)
    if needs_token:
        try_tokens(service, found, may_create=may_create)


_UNREACHABLE = {
    ErrorKind.DNS: "Check the host name.",
    ErrorKind.CONNECT: "Check host and port, and that the service is running and reachable from here.",
    ErrorKind.TLS: "Give the service a certificate that is valid for this host, or name its authority with --ca-file.",
    ErrorKind.DEADLINE: "If the service is only slow, give each call more time with --timeout, such as --timeout 60.",
    ErrorKind.CLOSED: "See why the service closes the connection without an answer.",
    ErrorKind.NOT_HTTP: "Check scheme and port: what answers there does not speak HTTP as it should.",
    ErrorKind.TRUNCATED: "See why the service ends its answer in the middle.",
    ErrorKind.TOO_LARGE: "See why the service sends so much.",
    ErrorKind.CODING: "Let the service answer without a content coding, or with gzip or deflate.",
    ErrorKind.RATE_LIMITED: "Wait, or use --rate to ask more slowly.",
    ErrorKind.UNAVAILABLE: "Run again when the service is available.",
    ErrorKind.BLOCKED: "Check the base_url.",
}


def _unreachable(exchange: Exchange, found: Diagnosis) -> bool:
    if exchange.error is None:
        return False
    found.problems.append(
        Note(
            Blame.TARGET if exchange.error in OF_THE_ANSWER else Blame.NETWORK,
            f"GET {exchange.request.url} got no answer that can be judged: {exchange.error_detail}.",
            _UNREACHABLE.get(exchange.error, "Check the base_url."),
            Exit.INCONCLUSIVE,
        )
    )
    return True


def _elsewhere(settings: Exchange, data: Exchange, base_url: str, found: Diagnosis) -> bool:
    there = _other_origin(settings)
    if there is None or _other_origin(data) is None:
        return False
    meant = shorten(str(there.copy_with(query=None)).removesuffix("/settings"), 200)
    found.problems.append(
        Note(
            Blame.CONFIGURATION,
            f"{base_url} redirects to another origin ({_origin(there, base_url)}), where no credentials are sent.",
            f"If that is the service, give its address as base_url: {meant}",
            Exit.USAGE,
        )
    )
    return True


def _origin(there: httpx.URL, base_url: str) -> str:
    """Return the origin of an address in words, with the port also where that alone is another."""
    here = httpx.URL(base_url)
    usual = {"http": ":80", "https": ":443"}.get(there.scheme, "")
    alike = there.port is None and (there.scheme, there.host) == (here.scheme, here.host)
    return f"{there.scheme}://{there.netloc.decode('ascii', 'replace')}{usual if alike else ''}"


def _other_origin(exchange: Exchange) -> httpx.URL | None:
    """Return where an answer redirects to, if that is another origin."""
    answer = exchange.response
    location = answer.header("location") if answer else None
    if answer is None or location is None or answer.status not in (301, 302, 303, 307, 308):
        return None
    here = httpx.URL(exchange.request.url)
    try:
        there = here.join(location)
    except (httpx.InvalidURL, ValueError):
        return None
    return None if (there.scheme, there.host, there.port) == (here.scheme, here.host, here.port) else there


def _wrong_address(settings: Exchange, data: Exchange, found: Diagnosis) -> bool:
    answers = [exchange.response for exchange in (settings, data) if exchange.response is not None]
    if len(answers) < 2:
        return False
    missing = [answer.status in (404, 410) for answer in answers]
    # A service that fails or refuses may do so with HTML as well: that says nothing of the address.
    html = [answer.text.lstrip("\ufeff \r\n\t")[:1] == "<" for answer in answers if answer.status < 300]
    if all(missing):
        message = f"Neither GET /settings nor GET /data exists below {settings.request.url.removesuffix('/settings')}."
    elif all(html) and sum(missing) + len(html) == len(answers):
        message = (
            "Both GET /settings and GET /data answer with HTML instead of JSON: this is a website, not the service."
        )
    else:
        return False
    remedy = "Check the path of the base_url: the paths of the interface are appended to it."
    found.problems.append(Note(Blame.CONFIGURATION, message, remedy, Exit.USAGE))
    return True


def _documents(settings: Exchange, data: Exchange, found: Diagnosis) -> None:
    """Note what came of the two calls that everything else rests on; the checks judge it."""
    for path, name, exchange, kind in (("/settings", "settings", settings, dict), ("/data", "data types", data, list)):
        try:
            document(name, exchange, kind)
        except NotDecided as error:
            remedy = f"{error.remedy or f'Let GET {path} answer 200 with its document.'} Most requirements rest on it."
            found.problems.append(Note(error.blame, error.message, remedy))
        else:
            found.facts.append(("JSON", f"GET {path} answers 200 with JSON"))


def _published(service: UserClient, found: Diagnosis) -> None:
    with suppress(NotDecided):
        settings = service.settings_document()
        found.facts.append(("limit", f"maxNumberOfRequests {shorten(repr(settings.get('maxNumberOfRequests')), 60)}"))
        found.facts.append(("languages", shorten(_in_words(settings.get("supportedLanaguages")), 100)))


def _in_words(languages: object) -> str:
    if not isinstance(languages, list) or not all(isinstance(each, str) and each.strip() for each in languages):
        return f"supportedLanaguages is {languages!r}, not a list of languages"
    return ", ".join(languages) or "none"
