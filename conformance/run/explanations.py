"""Why a run cannot begin, in words: for each symptom of the preflight what it means, and what to do.

No run needs them: the command or the plugin that asked for the run does, once it could not begin.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from conformance.http.secrets.short_tokens import ShortToken
from conformance.http.session import Session
from conformance.http.wire.network import STRICTLY_REFUSED, WANTS_CERTIFICATE
from conformance.model.error_table import REFUSED_CREDENTIALS
from conformance.model.errors import trouble_of, why_it_decides_nothing
from conformance.model.exchange import ErrorKind, Exchange, Response, Superseded
from conformance.model.findings import Note
from conformance.model.hosts import host_of, is_loopback
from conformance.model.identity import OTHER_USER, USER
from conformance.model.option_values import OTHER_WAYS
from conformance.model.target import Target
from conformance.model.text import shorten, time_in_words
from conformance.model.verdict import Blame, Exit
from conformance.run.preflight import (
    LEEWAY,
    OF_AUTHORIZATION,
    OF_THE_CALLER,
    OF_THE_VERSION,
    Obstacle,
    Symptom,
    challenges,
    login_of,
    other_origin,
    seconds_left,
    wants_certificate,
)

NAMES: Final = {USER.label: "The access token", OTHER_USER.label: "The second user's access token"}

_FILE: Final = "The value is a secret: --header @FILE keeps it out of the process list."
_MARKUP: Final = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)


def way_of(target: Target) -> tuple[str, ...]:
    """Return what the calls bring and pass beside the access token, in words without secrets."""
    proxy = [f"through the proxy {target.proxy.address} ({target.proxy.source})"] if target.proxy else []
    headers = [f"with the header {name}" for name, _ in target.headers]
    return (*proxy, *headers, *(["with a client certificate"] if target.has_client_certificate else []))


def explained(obstacle: Obstacle, session: Session) -> Note:
    """Return what an obstacle means and what to do; its exit code is that of the command."""
    row = ROWS[obstacle.symptom]
    return row if isinstance(row, Note) else row(obstacle, session)


def _shown(obstacle: Obstacle) -> tuple[Exchange, Response]:
    assert obstacle.shown is not None
    assert obstacle.shown.response is not None
    return obstacle.shown, obstacle.shown.response


def _first_words(answer: Response) -> str:
    return f"{answer.status} {shorten(' '.join(answer.text.split()), 80)}".strip()


def _gate(obstacle: Obstacle, session: Session) -> Note:
    """The product is one of: API gateways, logins for browsers, web servers, proxies."""
    exchange, answer = _shown(obstacle)
    target, says = session.target, _first_words(answer)
    if answer.status == 407:
        return _proxy(target)
    if wants_certificate(answer):
        return _certificate(target, f"Every call is answered {says}.")
    schemes = challenges(answer)
    if place := login_of(exchange):
        return _lets_none_through(target, f"every call is redirected to a login for browsers ({shorten(place, 100)})")
    if not schemes.keys() & OF_AUTHORIZATION:
        return _lets_none_through(target, f"{says}. It wants a key beside the access token")
    remedy = OTHER_WAYS
    if "basic" in schemes:
        remedy = (
            "Without a token: --profile public --header 'Authorization: Basic …', with the base64 of NAME:PASSWORD. "
            f"{_FILE} For the full profile: {OTHER_WAYS}"
        )
    return Note(
        Blame.CONFIGURATION,
        f"A gate before the service lets no call through: {says}. It wants {next(iter(schemes.values()))} "
        "authentication in the header Authorization, where the interface sends the access token: one call cannot bring "
        "both.",
        remedy,
        Exit.USAGE,
    )


def _lets_none_through(target: Target, says: str) -> Note:
    remedy = (
        "Send what the gate accepts with each call: --header 'NAME: …', such as X-Api-Key, Ocp-Apim-Subscription-Key "
        f"of Azure, or CF-Access-Client-Id and CF-Access-Client-Secret of Cloudflare Access. {_FILE} Or let the gate "
        "admit this machine. If the path does not exist there, or the service is elsewhere, correct the base_url."
    )
    if target.headers:
        names = ", ".join(each for each, _ in target.headers)
        remedy = f"The gate does not accept what --header sends ({names}): check names and values."
    return Note(Blame.CONFIGURATION, f"A gate before the service lets no call through: {says}.", remedy, Exit.USAGE)


def _authorization_refused(obstacle: Obstacle, _: Session) -> Note:
    exchange, answer = _shown(obstacle)
    return Note(
        Blame.CONFIGURATION,
        f"GET {exchange.request.url} with the Authorization of --header is answered {answer.status}: either the gate "
        "does not accept it, or the gate passes it on to the service, which does not.",
        "Check name and password. Let the gate remove the field from what it passes on: "
        "'proxy_set_header Authorization \"\"' of nginx, 'RequestHeader unset Authorization' of Apache, removeHeader "
        "of Traefik.",
        Exit.USAGE,
    )


def _proxy(target: Target) -> Note:
    message = "A proxy on the way to the service wants name and password (407)."
    remedy = "Write them into its address: --proxy http://NAME:PASSWORD@HOST:PORT, or the same in HTTPS_PROXY."
    if target.proxy is not None:
        message = f"The proxy {target.proxy.address} wants name and password (407)."
        if target.proxy.user:
            message, remedy = (
                f"The proxy {target.proxy.address} does not accept the name and password of its address (407).",
                "Correct them. Special characters are percent-encoded, such as %40 for @.",
            )
    return Note(Blame.NETWORK, message, remedy, Exit.INCONCLUSIVE)


def _certificate(target: Target, message: str) -> Note:
    remedy = "Show a certificate of your own: --client-cert PEM, with --client-key PEM if its key is in another file."
    if target.has_client_certificate:
        remedy = (
            "The certificate of --client-cert is not accepted: see that the service trusts its authority, that it is "
            "valid, and that the file holds those between it and its authority too."
        )
    return Note(Blame.CONFIGURATION, message, remedy, Exit.USAGE)


def _no_answer(obstacle: Obstacle, session: Session) -> Note:
    exchange, target = obstacle.shown, session.target
    assert exchange is not None
    got = f"GET {exchange.request.url} got no answer: {trouble_of(exchange)}."
    if exchange.error is ErrorKind.PROXY:
        return _proxy(target) if " 407" in exchange.error_detail else _on_the_way(got, _through(target))
    if exchange.superseded is Superseded.UNAVAILABLE and target.proxy is not None and not target.is_https:
        return _on_the_way(f"{got} The proxy may have answered itself.", _through(target))
    if exchange.error is ErrorKind.TLS:
        if WANTS_CERTIFICATE in exchange.error_detail:
            return _certificate(target, got)
        return _on_the_way(got, _for_tls(target, exchange.error_detail))
    blame, remedy = why_it_decides_nothing(exchange)
    message = f"GET {exchange.request.url} got no answer that can be judged: {trouble_of(exchange)}."
    return Note(blame, message, remedy, Exit.INCONCLUSIVE)


def _on_the_way(message: str, remedy: str) -> Note:
    return Note(Blame.NETWORK, message, remedy, Exit.INCONCLUSIVE)


def _through(target: Target) -> str:
    place = target.proxy.address if target.proxy else "its address"
    return (
        f"See that the proxy runs at {place} and permits connections to {target.url.netloc.decode('ascii')}; or reach "
        "the service without it. --proxy, or HTTPS_PROXY, HTTP_PROXY and ALL_PROXY name it; NO_PROXY lists hosts "
        "without one."
    )


def _for_tls(target: Target, detail: str) -> str:
    if STRICTLY_REFUSED in detail:
        return (
            "Let the authority issue its own certificate and that of the service anew, with key identifiers and a "
            "critical basicConstraints; or run the suite with Python 3.12, which does not enforce this."
        )
    if "not trusted" in detail or "self-signed" in detail:
        if target.has_own_authority:
            return (
                "No certificate of --ca-file issued the one that the service shows: name that of its authority, or let "
                "the service send the certificates between the two."
            )
        return "Give the service a certificate of an authority that is trusted here, or name its own with --ca-file."
    if "certificate" in detail:
        return "Give the service a certificate that is valid now and for this host."
    return (
        "If that port speaks http, give a base_url with http. Otherwise see which versions and ciphers of TLS the "
        "service offers there, and whether something ends the connection."
    )


def _other_origin(obstacle: Obstacle, session: Session) -> Note:
    exchange, _ = _shown(obstacle)
    there, target = other_origin(exchange), session.target
    assert there is not None
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


def _nothing_there(obstacle: Obstacle, session: Session) -> Note:
    _, answer = _shown(obstacle)
    target = session.target
    words = " ".join(_MARKUP.sub(" ", answer.text).split())
    shown = f"{answer.status} ({shorten(words, 120)})" if words else f"{answer.status} without a text"
    if answer.status in OF_THE_VERSION:
        return Note(
            Blame.CONFIGURATION,
            f"{target.base_url} answers {shown} to every call: it wants another version of HTTP than HTTP/1.1, which "
            "the suite speaks.",
            "Let the service, or a proxy before it, answer HTTP/1.1, and run again.",
            Exit.INCONCLUSIVE,
        )
    if answer.status >= 500:
        return Note(
            Blame.NETWORK,
            f"{target.base_url} answers {shown} to every call: the service, or something before it, is out of order.",
            "Find the error in its log, and run again when GET /settings is answered.",
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
        else "Check scheme, name, port and path of the base_url: give the name by which the server or gateway "
        "knows the service, and the path to which the paths of the interface are appended."
    )
    if answer.status in OF_THE_CALLER:
        remedy += f" If a firewall refuses the suite, let it accept the User-Agent {session.user_agent}."
    return Note(Blame.CONFIGURATION, message, remedy, Exit.INCONCLUSIVE)


def _token_is_published(_: Obstacle, __: Session) -> Note:
    fault = ShortToken("A token or a value of --header", "GET /data or GET /settings shows a text that contains it")
    return Note(Blame.CONFIGURATION, str(fault), fault.remedy, Exit.USAGE)


def _token_to_refuse_in_use(obstacle: Obstacle, _: Session) -> Note:
    label = obstacle.credential
    variable = REFUSED_CREDENTIALS[label]
    remedy = f"Give {label} as {variable}, or leave it out."
    return Note(Blame.CONFIGURATION, f"{variable} is the token of a user of the run.", remedy, Exit.USAGE)


def _token_not_yet_expired(_: Obstacle, session: Session) -> Note:
    assert session.target.expired is not None
    left = seconds_left(session, session.target.expired, session.clock.now()) or 0.0
    when = f"expires in {time_in_words(left)}" if left > 0 else f"expired only {time_in_words(-left)} ago"
    return Note(
        Blame.CONFIGURATION,
        f"The token in DRSI_EXPIRED_TOKEN {when} by its claim exp.",
        f"Give a token that expired more than {time_in_words(LEEWAY)} ago, as services may allow for clocks that "
        "differ; or leave it out.",
        Exit.USAGE,
    )


def _token_refused(obstacle: Obstacle, session: Session) -> Note:
    token = session.credentials[obstacle.credential]
    left = None if token.renewable else seconds_left(session, token, session.clock.now())
    expired = f" By its claim exp it expired {time_in_words(-left)} ago." if left is not None and left <= 0 else ""
    return Note(
        Blame.CREDENTIAL,
        f"{NAMES[obstacle.credential]} is refused by the target.{expired}",
        "Get a new token from the OAuth server in GET /settings, for instance with 'drsi-conformance login', and see "
        "that it is meant for this service. If it is, see that a web server in front of the service hands the header "
        "Authorization on: Apache does so to CGI and FastCGI only with CGIPassAuth.",
        Exit.USAGE,
    )


def _budget_spent(obstacle: Obstacle, _: Session) -> Note:
    assert obstacle.reason is not None
    return Note(obstacle.reason.blame, obstacle.reason.message, obstacle.reason.remedy, Exit.INCONCLUSIVE)


ROWS: Final[Mapping[Symptom, Note | Callable[[Obstacle, Session], Note]]] = {
    Symptom.GATE: _gate,
    Symptom.AUTHORIZATION_REFUSED: _authorization_refused,
    Symptom.NO_ANSWER: _no_answer,
    Symptom.OTHER_ORIGIN: _other_origin,
    Symptom.WEBSITE: Note(
        Blame.CONFIGURATION,
        "Both GET /settings and GET /data answer with HTML instead of JSON: a website, not the service.",
        "Check the path of the base_url: the paths of the interface are appended to it.",
        Exit.USAGE,
    ),
    Symptom.NOTHING_THERE: _nothing_there,
    Symptom.NO_TOKEN: Note(
        Blame.CREDENTIAL,
        "No access token was given, and the full profile creates, reads and deletes data requests.",
        "Log in with 'drsi-conformance login', or give a token as DRSI_TOKEN, with --token-file or with "
        "--token-command; or use --profile public.",
        Exit.USAGE,
    ),
    Symptom.TOKEN_IS_PUBLISHED: _token_is_published,
    Symptom.TOKEN_TO_REFUSE_IN_USE: _token_to_refuse_in_use,
    Symptom.TOKEN_NOT_YET_EXPIRED: _token_not_yet_expired,
    Symptom.ACCOUNT_OF_A_PERSON: Note(
        Blame.CONFIGURATION,
        "The account may be a person's: GET /data/me describes it, and the service is not on this machine or a private "
        "network. A run creates and deletes data requests in the account, and records its responses.",
        "Use an account that exists for tests, and confirm it with --account-is-for-testing; or use --profile public.",
        Exit.USAGE,
    ),
    Symptom.TOKEN_REFUSED: _token_refused,
    Symptom.SAME_TOKEN: Note(
        Blame.CONFIGURATION,
        "Both users have the same token.",
        "Give the token of another user as DRSI_OTHER_TOKEN, or log in as that user with "
        "'drsi-conformance login --user other'; or leave it out.",
        Exit.USAGE,
    ),
    Symptom.BUDGET_SPENT: _budget_spent,
}
