"""The texts of options that become parts of a target: each is checked when it is given."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

import httpx

from conformance.model.errors import ConfigurationFault
from conformance.model.language_selector import LanguageSelector as LanguageSelector
from conformance.model.target import REQUEST_ID

MOST_OF_A_NONCE: Final = 128
"""Characters."""

_NONCE: Final = re.compile(rf"[!-'*-\[\]-~]{{1,{MOST_OF_A_NONCE}}}")
"""A comment of HTTP ends at a parenthesis, and a backslash quotes what follows."""


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


def checked_base_url(text: str) -> str:
    """Return `text` without a trailing slash; raise ConfigurationFault if it is not an http(s) address of a service."""
    wanted = "expected an address such as https://service.example/api"
    try:
        parts = urlsplit(text.strip())
        host, _ = parts.hostname, parts.port
        httpx.URL(text.strip())
    except (ValueError, httpx.InvalidURL) as error:
        raise ConfigurationFault(f"{text!r} is no base_url ({error}); {wanted}.") from None
    if parts.scheme.lower() not in ("http", "https"):
        given = f"the scheme {parts.scheme}" if parts.scheme else "no scheme"
        raise ConfigurationFault(f"{text!r} has {given}, not http or https; {wanted}.")
    if not host:
        raise ConfigurationFault(f"{text!r} has no host; {wanted}.")
    if parts.username is not None or parts.password is not None:
        raise ConfigurationFault("base_url has a user name or password. Remove it, and give the token as DRSI_TOKEN.")
    if parts.query or parts.fragment:
        raise ConfigurationFault(f"{text!r} has a query or fragment, but the suite appends paths to it; {wanted}.")
    return text.strip().rstrip("/")
