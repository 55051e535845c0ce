"""The calls to an authorisation server: bounded, without redirects, and every text of it made harmless."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx

from conformance.http.appearance import NAMED
from conformance.http.other_servers import is_private
from conformance.http.secrets.redaction import Redactor
from conformance.http.wire.exchange_limits import MIB, Limits
from conformance.model import strict_json
from conformance.model.errors import ConfigurationFault, PassingFault
from conformance.model.exchange import TransportError
from conformance.model.option_values import refused_name
from conformance.model.printable import one_line

LIMITS: Final = Limits(deadline=20.0, wire=MIB, decoded=MIB)
"""An answer of an authorisation server is a small JSON object."""

LONGEST_LIFE: Final = 10 * 365 * 86_400
"""Seconds: a longer lifetime of a token is taken for this one."""

_MOST_SHOWN: Final = 300
"""Characters of a server's own text in a message."""

_MARKUP: Final = re.compile(r"<[^>]{0,2000}>")
_JSON: Final = re.compile(r"application/(?:[\w.+-]+\+)?json\s*(?:;.*)?", re.IGNORECASE | re.DOTALL)

_VISIBLE: Final = re.compile(r"[\x20-\x7e]*")
"""The characters of clients, secrets, scopes and codes (RFC 6749, appendix A)."""

_Auth = Any  # authlib.oauth2.auth.ClientAuth, which has no types


class Refused(ConfigurationFault):
    """The authorisation server answers with an error object (RFC 6749, 5.2); `code` is its member `error`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message, remedy=_REMEDY)
        self.code = code


_REMEDY: Final = "Ask those who run the authorisation server which clients, grants and scopes it permits."


class Secrets:
    """The secrets of a login, which no message may show."""

    def __init__(self) -> None:
        self._known: list[tuple[str, str]] = []

    def add(self, label: str, value: str | None) -> None:
        """Add a secret; `label` stands in its place in messages."""
        if value:
            self._known.append((label, value))

    def text(self, text: str) -> str:
        """Return `text` without any of the secrets."""
        return Redactor(self._known).text(text)

    def harmless(self, text: object) -> str:
        """Return a text of a server without secrets, markup and control characters, on one line."""
        return one_line(_MARKUP.sub(" ", self.text(str(text)[:20_000])).strip(), _MOST_SHOWN)


@dataclass(frozen=True)
class Answer:
    """A JSON object that the server answered. It has what Authlib reads of a response."""

    status_code: int
    members: dict[str, Any]

    def json(self) -> dict[str, Any]:
        """Return the object, without members that Authlib cannot read."""
        members = dict(self.members)
        members.pop("expires_at", None)  # none of the protocol; this machine's clock decides
        life = seconds_in(members.pop("expires_in", None))
        return members if life is None else {**members, "expires_in": life}


def seconds_in(value: object) -> int | None:
    """Return the seconds in a member such as expires_in, as a number or as digits; None for anything else."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,400}", value, re.ASCII):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        return None
    return int(min(value, LONGEST_LIFE))


def checked_text(text: str, what: str) -> str:
    """Return a client, a secret, a scope or a code; raise ConfigurationFault if a call cannot carry it."""
    if not _VISIBLE.fullmatch(text):
        raise ConfigurationFault(
            f"{what} has other characters than visible ASCII and spaces (RFC 6749, appendix A).", remedy=_REMEDY
        )
    return text


def checked_address(text: object, what: str) -> str:
    """Return an address of an authorisation server; raise ConfigurationFault unless it is https, or this machine's."""
    shown = one_line(str(text), 200)
    try:
        if not isinstance(text, str):
            raise ValueError("it is no string")
        parts, url = urlsplit(text), httpx.URL(text)
        _port = parts.port
        if refused := refused_name(parts.hostname or ""):
            raise ValueError(refused)
    except (ValueError, httpx.InvalidURL) as error:
        raise ConfigurationFault(f"{what} is no address ({one_line(str(error), 100)}): {shown!r}.") from None
    if parts.username is not None or parts.password is not None:
        raise ConfigurationFault(f"{what} has a user name or password. Remove it.")
    if not url.raw_host or parts.fragment:
        raise ConfigurationFault(f"{what} needs a host, and no fragment: {shown!r}.")
    if not is_private(url):
        raise ConfigurationFault(
            f"{what} is not https: {shown!r}. Tokens and codes are sent in clear only to this machine."
        )
    return text


class Calls:
    """Calls an authorisation server. It is the session of Authlib's client, which uses `post`."""

    def __init__(
        self, transport: httpx.BaseTransport, secrets: Secrets, *, given_up: Callable[[], str] | None = None
    ) -> None:
        """`given_up` returns why an answer is no longer wanted, or "" as long as it is."""
        self.secrets = secrets
        self._transport = transport
        self._extensions = {} if given_up is None else {"given_up": given_up}

    def get(self, url: str) -> Answer:
        """Return the JSON object at `url`; raise Refused, or ConfigurationFault for anything else."""
        return self._answer(httpx.Request("GET", url, headers=NAMED, extensions=dict(self._extensions)))

    def post(
        self,
        url: str,
        *,
        data: Mapping[str, str],
        auth: _Auth,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Return the JSON object that the server answers to a form; raise as `get` does."""
        fields = NAMED.copy()
        fields.update({**(headers or {}), "Content-Type": "application/x-www-form-urlencoded"})
        url, fields, body = auth.prepare("POST", url, fields, urlencode(dict(data)))
        for name, value in parse_qsl(body):
            if name in ("client_secret", "code", "code_verifier", "device_code", "refresh_token"):
                self.secrets.add(name, value)
        extensions = dict(self._extensions)
        request = httpx.Request("POST", url, headers=fields, content=body.encode(), extensions=extensions)
        return self._answer(request)

    def _answer(self, request: httpx.Request) -> Answer:
        what = f"{request.method} {self.secrets.harmless(request.url.copy_with(query=None))}"
        checked_address(str(request.url), "The address of the authorisation server")
        try:
            response = self._transport.handle_request(request)
            body = response.read()
        except TransportError as error:
            raise PassingFault(
                f"The authorisation server gives no answer to {what}: {self.secrets.harmless(error.detail)}.",
                remedy="Check its address, and that it runs and can be reached from here.",
            ) from None
        return self._read(what, response, body)

    def _read(self, what: str, response: httpx.Response, body: bytes) -> Answer:
        status = response.status_code
        kind = self.secrets.harmless(response.headers.get("content-type", "")) or "no Content-Type"
        if 300 <= status < 400:
            place = self.secrets.harmless(response.headers.get("location", "")).partition("?")[0] or "nowhere"
            raise ConfigurationFault(
                f"{what} is answered {status}, a redirect to {place}. No redirect of an authorisation server is "
                "followed.",
                remedy="If that is the right place, name it with --oauth-url or --token-endpoint.",
            )
        document = strict_json.parse(body) if _JSON.fullmatch(kind) else None
        members = document.value if document is not None and document.problem is None else None
        if isinstance(members, dict) and isinstance(members.get("error"), str):
            raise self._refused(what, status, members)
        if not 200 <= status < 300:
            raise ConfigurationFault(f"{what} is answered {status} ({kind}).", remedy=_REMEDY)
        if not isinstance(members, dict):
            problem = document.problem if document is not None and document.problem else "no JSON object"
            found = f"{kind}, not application/json" if document is None else self.secrets.harmless(problem)
            raise ConfigurationFault(f"{what} is answered {status} with {found}.", remedy=_REMEDY)
        return Answer(status, members)

    def _refused(self, what: str, status: int, members: dict[str, Any]) -> Refused:
        code, description = members["error"], members.get("error_description")
        words = f" ({self.secrets.harmless(description)})" if isinstance(description, str) and description else ""
        return Refused(code, f"{what} is answered {status}: {self.secrets.harmless(code)}{words}.")
