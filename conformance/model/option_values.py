"""The texts of options that become parts of a target: each is checked when it is given."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

import httpx

from conformance.model.errors import ConfigurationFault
from conformance.model.further_headers import pair_of_basic
from conformance.model.target import LanguageSelector, Proxy

REQUEST_ID: Final = "{requestId}"
"""Stands for the identifier in a command that completes a data request."""

MOST_OF_A_NONCE: Final = 128
"""Characters."""

_NONCE: Final = re.compile(rf"[!-'*-\[\]-~]{{1,{MOST_OF_A_NONCE}}}")
"""A comment of HTTP ends at a parenthesis, and a backslash quotes what follows."""

_TOKEN_OF_HTTP: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_ONE_NAME: Final = re.compile(r"(?:[A-Za-z0-9._~!$'()*,:@/\[\]-]|%[0-9A-Fa-f]{2})+")
"""Name of a query parameter as it is sent; "&" or "=" would make several parameters of it, or none."""

_TAKEN: Final = (
    *("accept", "accept-encoding", "authorization", "connection", "content-encoding", "content-length", "content-type"),
    *("cookie", "expect", "host", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since"),
    *("keep-alive", "proxy-authorization", "proxy-connection", "range", "te", "trailer", "transfer-encoding"),
    *("upgrade", "user-agent"),
)
"""Header fields that HTTP gives another meaning, or that the suite sets by itself: none can choose a language."""

_OF_THE_SUITE: Final = "which the suite sets for each call by itself"
_NO_FURTHER: Final = {
    **dict.fromkeys((*_TAKEN, "accept-charset", "accept-language"), _OF_THE_SUITE),
    "authorization": "in which the interface expects the access token, unless a gate wants Basic authentication: give "
    "'Basic ' and the base64 of NAME:PASSWORD in UTF-8",
    "cookie": "with which the suite tests the service. Let the gate read its credential from another header field",
    "proxy-authorization": "which is for a proxy: write name and password into the address of --proxy",
}
"""Header fields that --header cannot set, with the reason."""


OTHER_WAYS: Final = (
    "Let the gate admit this client by another header field, such as X-Gate-Key with --header, by a client certificate "
    "(--client-cert), or by the address of this machine or of a proxy (--proxy)."
)
"""What to do where a gate reads Authorization and the calls bring an access token in it."""


def checked_header(line: str) -> tuple[str, str]:
    """Return name and value of "NAME: VALUE"; raise ConfigurationFault, without the value, for anything else."""
    name, colon, value = (part.strip(" \t") for part in line.partition(":"))
    if not colon or not _TOKEN_OF_HTTP.fullmatch(name):
        raise ConfigurationFault(
            "Expected NAME: VALUE with the name of a header field, such as 'X-Api-Key: …'. What was received is not "
            "shown, because it may be a secret."
        )
    if not value or not all(" " <= each <= "~" or each == "\t" for each in value):
        raise ConfigurationFault(f"{name}: expected a value of visible ASCII characters and spaces.")
    is_for_a_gate = name.lower() == "authorization" and pair_of_basic(value)
    if (reason := _NO_FURTHER.get(name.lower())) and not is_for_a_gate:
        raise ConfigurationFault(f"No call can have a further {name}, {reason}.")
    return name, value


def checked_token(value: str, what: str) -> str:
    """Return `value` without "Bearer" and white space; raise ConfigurationFault if it cannot be an access token."""
    token = value.strip().removeprefix("Bearer ").strip()
    if not token:
        raise ConfigurationFault(f"{what} is empty.")
    if not token.isascii() or any(not 33 <= ord(character) <= 126 for character in token):
        raise ConfigurationFault(
            f"{what} contains characters that no access token has (spaces, controls or non-ASCII)."
        )
    return token


def checked_proxy(text: str, source: str = "--proxy") -> Proxy:
    """Return the proxy at an address, which may lack http://; raise ConfigurationFault, without its credentials."""
    wanted = "Expected the address of an HTTP proxy, such as http://proxy.example:3128"
    text = text.strip()
    try:
        text.encode()  # a variable may hold bytes that are no UTF-8
        url = httpx.URL(text if "://" in text else f"http://{text}")
    except (ValueError, httpx.InvalidURL):
        raise ConfigurationFault(f"{wanted}; received another text.") from None
    if url.scheme != "http":
        raise ConfigurationFault(f"The suite speaks http to a proxy, not {url.scheme!r:.20}. {wanted}.")
    if not url.raw_host or url.path != "/" or url.query or url.fragment:
        raise ConfigurationFault(f"{wanted}, with a host, and without path and query.")
    address = f"http://{url.netloc.decode('ascii')}" + ("" if url.port else ":80")  # httpx leaves it out
    return Proxy(address, url.username, url.password, source)


def checked_completion(text: str) -> str:
    """Return a command that completes a data request; raise ConfigurationFault if it names none."""
    if REQUEST_ID not in text:
        raise ConfigurationFault(
            f"Expected a command with {REQUEST_ID} where the identifier of the data request belongs."
        )
    return text


def checked_nonce(text: str) -> str:
    """Return `text`; raise ConfigurationFault if it cannot stand in parentheses in the header User-Agent."""
    if not _NONCE.fullmatch(text):
        raise ConfigurationFault(
            f"Expected 1 to {MOST_OF_A_NONCE} visible ASCII characters, without spaces, parentheses and backslashes; "
            f"received {text!r:.200}. Ask for a challenge of letters and digits."
        )
    return text


def checked_host(text: str) -> str:
    """Return `text`; raise ConfigurationFault if it is no name of a host, perhaps with a port."""
    with suppress(ValueError, httpx.InvalidURL):
        url = httpx.URL(f"http://{text}")
        if url.netloc.decode("ascii") == text.lower().removesuffix(":80") and url.raw_host and url.raw_path == b"/":
            return text
    raise ConfigurationFault(
        f"Expected the name of a host, perhaps with a port, such as service.example; received {text!r:.200}."
    )


def refused_name(host: str) -> str:
    """Return why IDNA refuses a host name, or "" if it does not; `host` may be an IP address."""
    try:
        for label in host.split("."):
            _ = label and httpx.URL(scheme="http", host=label).host
    except (httpx.InvalidURL, UnicodeError) as error:
        return str(error)
    return ""


class UnusableHost(ConfigurationFault):
    """An address is well formed, but IDNA refuses the name of its host, so the suite cannot call it."""


def checked_base_url(text: str) -> str:
    """Return `text` without a trailing slash; raise ConfigurationFault if it is not an http(s) address of a service."""
    wanted = "expected an address such as https://service.example/api"
    try:
        parts = urlsplit(text.strip())
        host, _ = parts.hostname, parts.port
        refused = refused_name(host or "")
        if not refused:
            httpx.URL(text.strip())
    except (ValueError, httpx.InvalidURL) as error:
        raise ConfigurationFault(f"{text!r} is no base_url ({error}); {wanted}.") from None
    if parts.scheme.lower() not in ("http", "https"):
        given = f"the scheme {parts.scheme}" if parts.scheme else "no scheme"
        raise ConfigurationFault(f"{text!r} has {given}, not http or https; {wanted}.")
    if not host or re.search(r"\s", host):
        raise ConfigurationFault(f"{text!r} has {'no host' if not host else 'a space in its host'}; {wanted}.")
    if parts.username is not None or parts.password is not None:
        raise ConfigurationFault("base_url has a user name or password. Remove it, and give the token as DRSI_TOKEN.")
    if parts.query or parts.fragment:
        raise ConfigurationFault(f"{text!r} has a query or fragment, but the suite appends paths to it; {wanted}.")
    if refused:
        raise UnusableHost(
            f"The suite cannot call the host of {text!r}, because IDNA refuses its name ({refused}); {wanted}."
        )
    return text.strip().rstrip("/")


def checked_selector(text: str) -> LanguageSelector:
    """Return what "header:NAME", "query:NAME" or "none" says; raise ConfigurationFault for anything else."""
    if text == "none":
        return LanguageSelector("none", "")
    kind, _, name = text.partition(":")
    name = name.strip()
    if not name:
        raise ConfigurationFault(
            f"Expected a language selector such as header:Accept-Language or query:lang, or none if the service "
            f"has none; received {text!r}."
        )
    if kind == "header":
        return LanguageSelector("header", _header_name(name))
    if kind == "query":
        if not _ONE_NAME.fullmatch(name):
            raise ConfigurationFault(
                f"Expected the name of one query parameter, such as query:lang; received {name!r}. "
                "Give the name alone, with other characters percent-encoded."
            )
        return LanguageSelector("query", name)
    raise ConfigurationFault(f"Expected a language selector that begins with header: or query:; received {text!r}.")


def _header_name(name: str) -> str:
    if not _TOKEN_OF_HTTP.fullmatch(name):
        raise ConfigurationFault(
            f"Expected the name of a header field, such as header:Accept-Language; received {name!r}. "
            "Such a name has letters, digits and hyphens, and no spaces."
        )
    if name.lower() in _TAKEN:
        raise ConfigurationFault(
            f"No language can be asked for with the header field {name}: HTTP gives it another meaning, or the suite "
            "sets it by itself. Give the field that the service reads, such as header:Accept-Language."
        )
    return name
