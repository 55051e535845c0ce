"""Whether the service is reached under its address: statuses that are about the address decide nothing about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import httpx

from conformance.client.api import Api
from conformance.http.session import Session
from conformance.model.exchange import Exchange, Response, redirect_of, same_origin
from conformance.model.findings import Note
from conformance.model.hosts import host_of, is_loopback
from conformance.model.identity import USER
from conformance.model.strict_json import HTML
from conformance.model.text import shorten, without_varying
from conformance.model.verdict import Blame, Exit

_OF_THE_VERSION: Final = (426, 505)
_OF_THE_NAME: Final = (421,)

_OF_THE_CALLER: Final = (403, 406)
"""Statuses that are about the address only where a page for people comes with them, also to a call with a token."""

_OF_THE_CALL: Final = (401, 405, 407)
"""Statuses by which something asks who makes the call, or knows the path and not the method."""

_MARKUP: Final = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)


def address_problem(service: Api, settings: Exchange, data: Exchange) -> Note | None:
    """Return why the answers to GET /settings and GET /data are about the address; None if they are not."""
    if (found := _elsewhere(service, settings, data) or _website(settings, data)) is not None:
        return found
    seen = _answered(settings, data)
    if len(seen) == 2 and _one_answer(seen):
        others = _answered(*other_readings(service, of_the_caller=seen[0][1].status in _OF_THE_CALLER))
        if others and (shown := _one_answer([*seen, *others])):
            return _nothing_there(service.session, shown)
    return None


def other_readings(service: Api, *, of_the_caller: bool = False) -> list[Exchange]:
    """Ask for what the other paths that can be read are answered, and what a token changes where it may."""
    calls: list[Callable[[], Exchange]] = [partial(service.read, service.unknown_id()), service.data_me]
    if of_the_caller and USER.label in service.session.credentials:
        calls.append(partial(service.settings, USER, offered=True))
    return service.session.parallel(calls)


def _answered(*exchanges: Exchange) -> list[tuple[Exchange, Response]]:
    return [(each, each.response) for each in exchanges if each.response is not None and each.counts]


def _one_answer(answered: Sequence[tuple[Exchange, Response]]) -> Response | None:
    """Return the answer that all calls got, whatever their path, if it is one that no service has for each of them."""
    answers = [answer for _, answer in answered]
    statuses = {answer.status for answer in answers}
    if statuses <= {*_OF_THE_VERSION, *_OF_THE_NAME}:
        return answers[0]
    refused = all(400 <= status < 500 for status in statuses) and statuses.isdisjoint(_OF_THE_CALL)
    if not statuses.isdisjoint(_OF_THE_CALLER):
        refused &= all(answer.document.problem and answer.body.strip() for answer in answers)
    # A server without a page of its own for a name answers all of it with 200, and no body, a sentence or one page.
    # The record of GET /data/me has other letters than its answer, so its page cannot be compared.
    bodies = {answer.body for exchange, answer in answered if not exchange.request.url.endswith("/data/me")}
    of_a_document = rb"[{\[]" if len(bodies) == 1 else rb"[{\[<]"
    silent = statuses == {200} and not any(re.search(of_a_document, answer.body) for answer in answers)
    return answers[0] if len(_pages(answered)) == 1 and (refused or silent) else None


def _pages(answered: Sequence[tuple[Exchange, Response]]) -> set[tuple[int, str | None, str]]:
    """Return the different answers: status, media type and JSON, without what names the path, the moment or the call.

    The text of a page is written for people, and differs from call to call: that shows no route.
    """
    paths = [httpx.URL(exchange.request.url).path for exchange, _ in answered]
    names = re.compile("|".join(rf"\b{re.escape(name)}\b|/" for path in paths for name in path.split("/") if name))
    return {
        (
            answer.status,
            answer.media_type,
            without_varying(names.sub("", answer.text)) if isinstance(answer.document.value, dict | list) else "",
        )
        for _, answer in answered
    }


def _nothing_there(session: Session, answer: Response) -> Note:
    target = session.target
    words = " ".join(_MARKUP.sub(" ", answer.text).split())
    shown = f"{answer.status} ({shorten(words, 120)})" if words else f"{answer.status} without a text"
    if answer.status in _OF_THE_VERSION:
        return Note(
            Blame.CONFIGURATION,
            f"{target.base_url} answers {shown} to every call: it wants another version of HTTP than HTTP/1.1, which "
            "the suite speaks.",
            "Let the service, or a proxy before it, answer HTTP/1.1, and run again.",
            Exit.INCONCLUSIVE,
        )
    name = target.app_host or host_of(target.url)
    paths = "Neither GET /settings nor GET /data exists below" if answer.status in (404, 410) else "No path works at"
    message = (
        f"{paths} {target.base_url}: every path is answered {shown}. That is about the address and says nothing about "
        f"the service: none is reached by this path and the name {name}."
    )
    remedy = (
        "If the application accepts only some names of hosts (ALLOWED_HOSTS, TRUSTED_HOSTS, "
        "TrustedHostMiddleware), give one with --app-host NAME. Otherwise check the path behind the name of the "
        "application: --app MODULE:APP/PATH."
        if target.is_application
        else "Check the name, the port and the path of the base_url: give the name by which the server or gateway "
        "knows the service, and the path to which the paths of the interface are appended."
    )
    if answer.status in _OF_THE_CALLER:
        remedy += f" If a firewall refuses the suite, let it accept the User-Agent {session.user_agent}."
    return Note(Blame.CONFIGURATION, message, remedy, Exit.INCONCLUSIVE)


def _elsewhere(service: Api, settings: Exchange, data: Exchange) -> Note | None:
    """Return the problem of an address that redirects every call to another origin."""
    there, target = _other_origin(settings), service.session.target
    if there is None or _other_origin(data) is None:
        return None
    meant = shorten(str(there.copy_with(query=None)).removesuffix("/settings"), 200)
    origin = f"{there.scheme}://{there.netloc.decode('ascii', 'replace')}"
    if there.scheme == "https" and not target.is_https and (target.is_application or is_loopback(host_of(there))):
        remedy = (
            "Turn the redirect to https off for the run (SECURE_SSL_REDIRECT, HTTPSRedirectMiddleware): plain http is "
            "served there. Or, if the service trusts what its proxy says of the scheme, say it: --header "
            "'X-Forwarded-Proto: https'."
        )
    elif target.is_application:
        name = host_of(there)
        remedy = f"Give the name that the application wants, such as --app-host {name}; or turn the redirect off."
    else:
        remedy = f"If that is the service, give its address as base_url: {meant}"
    return Note(
        Blame.CONFIGURATION,
        f"{target.base_url} redirects to another origin ({origin}), where no credentials are sent.",
        remedy,
        Exit.INCONCLUSIVE,
    )


def _other_origin(exchange: Exchange) -> httpx.URL | None:
    """Return the target of a redirect to another origin, or None."""
    there = redirect_of(exchange)
    return None if there is None or same_origin(there, exchange.request.url) else there


def _website(settings: Exchange, data: Exchange) -> Note | None:
    answers = [exchange.response for exchange in (settings, data) if exchange.response is not None]
    if len(answers) < 2:
        return None
    missing = [answer.status in (404, 410) for answer in answers]
    # An error answer in HTML does not concern the address, nor does a warning of PHP before the document.
    starts = [answer.text.lstrip("\ufeff \r\n\t")[:1000] for answer in answers if answer.status < 300]
    html = [start.startswith("<") and HTML.search(start.encode("utf-8", "replace")) is not None for start in starts]
    if not html or not all(html) or sum(missing) + len(html) != len(answers):
        return None
    return Note(
        Blame.CONFIGURATION,
        "Both GET /settings and GET /data answer with HTML instead of JSON: a website, not the service.",
        "Check the path of the base_url: the paths of the interface are appended to it.",
        Exit.USAGE,
    )
