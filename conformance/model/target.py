"""The target of a run: the address, the credentials, the language selector, and the budget."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final

import httpx

from conformance.model.confirmations import EMPTY_ACCOUNT, MAY_BE_SHORT, NO_SELECTOR, perhaps_not_empty
from conformance.model.error_table import REFUSED_CREDENTIALS
from conformance.model.errors import ConfigurationFault
from conformance.model.hosts import host_of
from conformance.model.language_selector import LanguageSelector
from conformance.model.proxy import Proxy


class Token:
    """An access token with a fixed value; its repr() does not show the value.

    Raises ConfigurationFault for a value that cannot be an access token.
    """

    renewable = False
    """Whether the token can be renewed."""

    def __init__(self, value: str) -> None:
        self._value = checked_token(value, "The token")
        self.used = [self._value]
        """Every value that was sent; no output may show any of them."""

    def current(self) -> str:
        """Return the value."""
        return self._value

    def instead_of(self, refused: str) -> str | None:  # noqa: ARG002
        """Return a value other than `refused`, or None if there is none."""
        return None

    def stop(self) -> None:
        """End what produces the value, if it runs; threads that wait for the value get a PassingFault."""

    def __repr__(self) -> str:
        return "Token(…)"


REQUEST_ID: Final = "{requestId}"
"""Stands for the identifier in a command that completes a data request."""


class Completion:
    """Makes the service complete a data request. This one, of a run that is over, does nothing."""

    failure = ""
    """Why the request was not completed, in words."""
    remedy = ""

    def complete(self, request_id: str) -> None:  # noqa: ARG002
        """Make the service complete a request; raise ConfigurationFault if that fails."""
        if self.failure:
            raise ConfigurationFault(self.failure, remedy=self.remedy)

    def stop(self) -> None:
        """End what completes the request, if it runs."""


def checked_token(value: str, what: str) -> str:
    """Return `value` without "Bearer" and white space; raise ConfigurationFault if it cannot be an access token."""
    token = value.strip().removeprefix("Bearer ").strip()
    if not token:
        raise ConfigurationFault(f"{what} is empty; an access token was expected.")
    if not token.isascii() or any(not 33 <= ord(character) <= 126 for character in token):
        raise ConfigurationFault(
            f"{what} contains characters that no access token has (spaces, controls or non-ASCII)."
        )
    return token


REPEATS: Final = 21
"""Repetitions of a call: enough to meet a fault in one of twenty."""

THOROUGH: Final = 10
"""Factor of repetitions, samples and generated calls in a thorough run."""


FARTHEST: Final = 5_000
"""Most creations in succession: more take most of an hour over a network."""

_QUICKLY_CREATED: Final = 1_000
"""Creations that take no longer than the usual time of a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The limits of a run: data requests, exchanges, rate, concurrency and seconds."""

    thorough: bool = False
    """Whether the run makes `THOROUGH` times the usual effort."""
    max_created: int = 200
    """Most data requests created in the run."""
    max_requests: int | None = None
    """Most exchanges in the run, without its clean-up; None for no limit."""
    rate: float | None = None
    """Most exchanges per second; None for no limit."""
    concurrency: int = 4
    """Most simultaneous exchanges, except in checks of simultaneous calls."""
    await_completion: float | None = None
    """Seconds to wait for a completion at the end of the run; None: 10 in a thorough run, otherwise 0."""
    max_time: float | None = None
    """Most seconds of the run, with its clean-up; None for no limit."""
    patience: float = 120.0
    """Most seconds in the run that are spent waiting for Retry-After, and as many again for that of its clean-up."""

    @property
    def times(self) -> int:
        """Factor of the usual effort."""
        return THOROUGH if self.thorough else 1

    def creations_for(self, limit: object) -> int:
        """Return a number of creations that suffices for every check if maxNumberOfRequests is `limit`."""
        most = limit if isinstance(limit, int) and 0 < limit <= FARTHEST else 0
        # Enough for every check of the run to reach the limit, some of them twice.
        return 4 * most + 100 * self.times

    def to_create_more(self, limit: object) -> str:
        """Return the advice for more creations, with a number that suffices if maxNumberOfRequests is `limit`."""
        needed = self.creations_for(limit)
        if needed <= self.max_created:
            needed = 2 * self.max_created  # the service made the run create more than it usually does
        time = ", give the run more time with --max-time" if needed > _QUICKLY_CREATED else ""
        return f"Raise --max-created to {needed}{time}, and run again."

    @property
    def completion_wait(self) -> float:
        """Seconds to wait for a completion at the end of the run."""
        if self.await_completion is not None:
            return self.await_completion
        return 10.0 if self.thorough else 0.0

    @property
    def repeats(self) -> int:
        """Repetitions of a call whose response must not depend on chance."""
        return REPEATS * self.times


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A service at a base_url, with the credentials and options to check it."""

    base_url: str
    user: Token | None = None
    other: Token | None = None
    expired: Token | None = None
    """A token of the service that has expired."""
    foreign: Token | None = None
    """A valid token of another service."""
    completion: Completion | None = None
    """What makes the service complete a data request, if the tester can do that."""
    language_selector: LanguageSelector | None = None
    account_is_empty: bool = False
    """Whether the tester confirms that nothing else counts against the limit of the users of the run."""
    account_is_for_testing: bool = False
    """Whether the tester confirms that the accounts of the users exist for tests."""
    account_was_reset: bool = False
    """Whether a command of the tester removes the requests of these users before the run; it confirms nothing."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Names and values of further header fields of every call, for a gate before the service. They are secrets."""
    proxy: Proxy | None = None
    """The proxy through which the calls go."""
    has_client_certificate: bool = False
    """Whether TLS connections show a certificate of the tester."""
    has_own_authority: bool = False
    """Whether the tester named authorities to trust in addition."""
    budget: Budget = field(default_factory=Budget)
    is_application: bool = False
    """Whether the suite serves an application itself, by plain http on this machine, for the time of the run."""
    app_host: str = ""
    """The host that calls name in place of that of the base_url; empty for none."""
    allow_short_token: bool = False
    """Whether the tester allows a token that no search can remove from a record."""
    anonymous: bool = False
    """Whether the run looks like a common client and orders its checks by the seed: the service cannot recognise it."""

    @property
    def refused(self) -> dict[str, Token]:
        """The real tokens that the service must not accept, by the label of the credential."""
        given = zip(REFUSED_CREDENTIALS, (self.expired, self.foreign), strict=True)
        return {label: token for label, token in given if token is not None}

    @property
    def selector(self) -> LanguageSelector | None:
        """The configured selector of the language; None if none is known or there is none."""
        configured = self.language_selector
        return None if configured is None or configured.kind == "none" else configured

    @property
    def confirmations(self) -> tuple[str, ...]:
        """What the tester confirms, by the names of `CONFIRMATIONS`."""
        no_selector = self.language_selector is not None and self.selector is None
        held = {
            EMPTY_ACCOUNT: self.account_is_empty,
            NO_SELECTOR: no_selector,
            MAY_BE_SHORT: self.allow_short_token,
        }
        return tuple(name for name, is_confirmed in held.items() if is_confirmed)

    @property
    def perhaps_not_empty(self) -> str:
        """The beginning of the advice where creations are refused before the limit."""
        return perhaps_not_empty(was_reset=self.account_was_reset)

    @property
    def way(self) -> tuple[str, ...]:
        """What the calls bring and pass beside the access token, in words without secrets."""
        found = [f"through the proxy {self.proxy.address} ({self.proxy.source})"] if self.proxy else []
        found += [f"with the header {name}" for name, _ in self.headers]
        return (*found, *(["with a client certificate"] if self.has_client_certificate else []))

    @property
    def url(self) -> httpx.URL:
        """The base_url, parsed."""
        return httpx.URL(self.base_url)

    @property
    def is_https(self) -> bool:
        """Whether the target is reached over TLS."""
        return self.url.scheme == "https"

    @property
    def is_loopback(self) -> bool:
        """Whether the name or number of the host means this machine."""
        return is_loopback(host_of(self.url))


def is_loopback(host: str) -> bool:
    """Whether the name or number of a host means this machine."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")
