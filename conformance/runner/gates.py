"""What stands in front of a service and lets no call through without something of its own, told by what it answers.

Each form is that of a product: API gateways of Amazon, Azure, Google, Kong and Apigee, the logins of Cloudflare Access
and oauth2-proxy, web servers that ask for Basic authentication or for a client certificate, and proxies (407).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import httpx

from conformance.model.error_table import UNAUTHORIZED
from conformance.model.errors import trouble_of
from conformance.model.exchange import (
    STRICTLY_REFUSED,
    WANTS_CERTIFICATE,
    ErrorKind,
    Exchange,
    Response,
    Superseded,
    header,
    redirect_of,
    same_origin,
)
from conformance.model.findings import Note
from conformance.model.further_headers import OTHER_WAYS
from conformance.model.target import Target
from conformance.model.text import shorten
from conformance.model.verdict import Blame, Exit

_CHALLENGE: Final = re.compile(r"(?:^|,)\s*([A-Za-z][\w.+-]*)(?=\s|,|$)(?!\s*=)")
"""A scheme in WWW-Authenticate, not one of its parameters."""
_KEY: Final = re.compile(r"(?i)\b(api|subscription|consumer)[ _-]?key\b|\bclient id missing|unregistered callers")
_OF_AMAZON: Final = ("Forbidden", "Missing Authentication Token")
_CERTIFICATE: Final = re.compile(r"(?i)\b(SSL|TLS|client)\b.{0,40}\bcertificate\b")
_WORDS: Final = "log-?in|sign-?in|sso|saml2?|oauth2?|openid|authorize|auth|access"
_LOGIN: Final = re.compile(rf"(?i)(^|[./_-])({_WORDS})([./_-]|$)")
_AT_MOST: Final = 2_000
"""Characters of a page in which a gate says what it wants."""

_FILE: Final = "The value is a secret: --header @FILE keeps it out of the process list."


def gate_before(target: Target, exchanges: Sequence[Exchange]) -> Note | None:
    """Return the problem of a gate that answered each of some calls in place of the service; None if none did so.

    A service may refuse the credential of a gate that passes it on (5, item 4): it is a problem of any of the calls.
    """
    found = [_gate(target, each) for each in exchanges]
    if all(found):
        return found[0]
    passed_on = map(_refused_authorization, exchanges) if header(target.headers, "authorization") else ()
    return next(filter(None, passed_on), None)


def _refused_authorization(exchange: Exchange) -> Note | None:
    answer = exchange.response
    if answer is None or answer.status not in (400, 401, 403):
        return None
    return Note(
        Blame.CONFIGURATION,
        f"GET {exchange.request.url} with the Authorization of --header is answered {answer.status}: either the gate "
        "does not accept it, or the gate passes it on to the service, which does not.",
        "Check name and password. Let the gate remove the field from what it passes on: "
        "'proxy_set_header Authorization \"\"' of nginx, 'RequestHeader unset Authorization' of Apache, removeHeader "
        "of Traefik.",
        Exit.USAGE,
    )


def _gate(target: Target, exchange: Exchange) -> Note | None:
    answer = exchange.response
    if answer is None:
        return None
    if answer.status == 407:
        return _proxy(target)
    if answer.status in (400, 403, 495, 496) and _CERTIFICATE.search(answer.text[:_AT_MOST]):
        return _certificate(target, f"Every call is answered {_shown(answer)}.")
    if 300 <= answer.status < 400 or exchange.redirected_from:
        return _login(target, exchange, answer)
    if answer.status in (401, 403):
        return _credential(target, answer)
    return None


def _credential(target: Target, answer: Response) -> Note | None:
    """Return the problem of a refusal that is none of the interface: it asks for another credential than the token."""
    challenge = " , ".join(value for name, value in answer.headers if name.lower() == "www-authenticate")
    schemes = {each.lower(): each for each in _CHALLENGE.findall(re.sub('"[^"]*"', '""', challenge))}
    message = answer.member("message")
    if "bearer" in schemes or message == UNAUTHORIZED.message:
        return None  # the service itself
    says = _shown(answer)
    if schemes.keys() & {"basic", "digest", "negotiate", "ntlm"}:
        return None if header(target.headers, "authorization") else _needs_authorization(schemes, says)
    of_amazon = answer.status == 403 and (answer.header("x-amzn-errortype") or message in _OF_AMAZON)
    if schemes or of_amazon or _KEY.search(answer.text[:_AT_MOST]):
        return _lets_none_through(target, f"{says}. It wants a key beside the access token")
    return None


def _shown(answer: Response) -> str:
    return f"{answer.status} {shorten(' '.join(answer.text.split()), 80)}".strip()


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


def _needs_authorization(schemes: dict[str, str], says: str) -> Note:
    scheme = next(iter(schemes.values()))
    remedy = OTHER_WAYS
    if "basic" in schemes:
        remedy = (
            "Without a token: --profile public --header 'Authorization: Basic …', with the base64 of NAME:PASSWORD. "
            f"{_FILE} For the full profile: {OTHER_WAYS}"
        )
    return Note(
        Blame.CONFIGURATION,
        f"A gate before the service lets no call through: {says}. It wants {scheme} authentication in the header "
        "Authorization, where the interface sends the access token: one call cannot bring both.",
        remedy,
        Exit.USAGE,
    )


def _login(target: Target, exchange: Exchange, answer: Response) -> Note | None:
    location = redirect_of(exchange)
    if location is None and not exchange.redirected_from:
        return None
    there = location or httpx.URL(exchange.request.url)
    elsewhere = not same_origin(there, exchange.request.url)
    host, _, path = str(there.copy_with(query=None)).partition("://")[2].partition("/")
    if path.rpartition("/")[2] in ("settings", "data") or (answer.status < 300 and answer.document.problem is None):
        return None  # the service has moved
    if not (_LOGIN.search(path) or (elsewhere and _LOGIN.search(host))):
        return None
    place = shorten(f"{there.scheme}://{host}" if elsewhere else f"/{path}", 100)
    return _lets_none_through(target, f"every call is redirected to a login for browsers ({place})")


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


def on_the_way(target: Target, exchange: Exchange) -> Note | None:
    """Return the problem of a call that a proxy or a TLS handshake ended; None for other errors."""
    said = f"GET {exchange.request.url} got no answer: {trouble_of(exchange)}."
    if exchange.error is ErrorKind.PROXY:
        if " 407" in exchange.error_detail:
            return _proxy(target)
        return Note(Blame.NETWORK, said, _through(target), Exit.INCONCLUSIVE)
    if exchange.superseded is Superseded.UNAVAILABLE and target.proxy is not None and not target.is_https:
        return Note(Blame.NETWORK, f"{said} The proxy may have answered itself.", _through(target), Exit.INCONCLUSIVE)
    if exchange.error is not ErrorKind.TLS:
        return None
    if WANTS_CERTIFICATE in exchange.error_detail:
        return _certificate(target, said)
    return Note(Blame.NETWORK, said, _for_tls(target, exchange.error_detail), Exit.INCONCLUSIVE)


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
    return "See which versions and ciphers of TLS the service offers there, and whether something ends the connection."
