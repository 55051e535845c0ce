"""The target of a run: its address, the way to it, what the tester says of it, and the budget."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any, Final, Literal
from urllib.parse import parse_qs, quote, urlsplit

import httpx

from conformance.model.error_table import REFUSED_CREDENTIALS
from conformance.model.exchange import Request, header
from conformance.model.further_headers import mark_of
from conformance.model.hosts import host_of, is_loopback
from conformance.model.text import shorten

EMPTY_ACCOUNT: Final = "empty-account"
"""Nothing else counts against the limit of the users of the run: neither older requests nor requests of others."""

NO_SELECTOR: Final = "no-language-selector"
"""No client can choose the language of GET /data (--language-selector none)."""

MAY_BE_SHORT: Final = "short-token"
"""A token of the run need not be kept out of its record, except where it is sent (--allow-short-token)."""

IF_EMPTY: Final = "(if nothing else counts against the limit, as the tester confirmed)"
"""Ends the first sentence of each finding that rests on EMPTY_ACCOUNT."""


def if_empty(message: str) -> str:
    """Return the message of a finding that rests on EMPTY_ACCOUNT; its first sentence ends with that."""
    first, more, rest = message.removesuffix(".").partition(". ")
    return f"{first} {IF_EMPTY}{more}{rest}."


@dataclass(frozen=True, slots=True)
class LanguageSelector:
    """The header or query parameter that chooses the language of GET /data (4.5), or "none" if nothing does."""

    kind: Literal["header", "query", "none"]
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind

    @property
    def in_words(self) -> str:
        """The selector as a sentence names it, such as "the header Accept-Language"; an option writes it as `str`."""
        return f"the {'query parameter' if self.kind == 'query' else 'header'} {self.name}"

    def words_of(self, request: Request) -> str:
        """Return in words the language for which a call asks, such as ", in 'nl' by the header Accept-Language,"."""
        query = parse_qs(urlsplit(request.url).query, keep_blank_values=True)
        in_query = next(iter(query.get(self.name, ())), None)
        given = header(request.headers, self.name) if self.kind == "header" else in_query
        return "" if given is None else f", in {shorten(given, 40)!r} by {self.in_words},"

    def asking(self, language: str) -> dict[str, Any]:
        """Return the arguments of `Session.send` that ask for `language`."""
        if self.kind == "header":
            return {"headers": {self.name: language}}
        return {"query": f"{self.name}={quote(language, safe='')}"}


@dataclass(frozen=True)
class Proxy:
    """An HTTP proxy."""

    address: str
    """Scheme, host and port, without credentials."""
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    source: str = field(default="--proxy", compare=False)
    """The option or the variable that names it."""

    @property
    def secrets(self) -> tuple[tuple[str, str], ...]:
        """The credentials with their labels."""
        # Some proxies take a key as the name, without a password.
        pair = f"{self.user}:{self.password}" if self.user and self.password else self.user
        found = {"login of the proxy": pair, "password of the proxy": self.password}
        return tuple((label, value) for label, value in found.items() if value)


class Token:
    """An access token with a fixed value; its repr() does not show the value."""

    renewable = False
    """Whether the token can be renewed."""

    def __init__(self, value: str) -> None:
        self._value = value
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


class Completion:
    """Makes the service complete a data request."""

    def complete(self, request_id: str) -> None:
        """Make the service complete a request; raise ConfigurationFault if that fails."""

    def stop(self) -> None:
        """End what completes the request, if it runs."""


FARTHEST: Final = 5_000
"""Most creations in succession: more take most of an hour over a network."""

SEVERAL: Final = 3
"""How often a run does what shows little once, where each time takes calls or places; and the number of equal
observations that are no chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The limits of a run: data requests, exchanges, rate, concurrency and seconds."""

    thorough: bool = False
    """Whether the run makes ten times the usual effort."""
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

    @property
    def times(self) -> int:
        """Factor of the usual effort."""
        return 10 if self.thorough else 1

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
        return f"Raise --max-created to {needed}, perhaps --max-time as well, and run again."

    @property
    def completion_wait(self) -> float:
        """Seconds to wait for a completion at the end of the run."""
        if self.await_completion is not None:
            return self.await_completion
        return 10.0 if self.thorough else 0.0

    @property
    def repeats(self) -> int:
        """Repetitions of a call whose response must not depend on chance: enough to meet a fault in one of twenty."""
        return 21 * self.times


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
        """What the tester confirms: EMPTY_ACCOUNT, NO_SELECTOR, MAY_BE_SHORT."""
        no_selector = self.language_selector is not None and self.selector is None
        confirmed = (self.account_is_empty, no_selector, self.allow_short_token)
        return tuple(compress((EMPTY_ACCOUNT, NO_SELECTOR, MAY_BE_SHORT), confirmed))

    @property
    def perhaps_not_empty(self) -> str:
        """The beginning of the advice where creations are refused before the limit."""
        if self.account_was_reset:
            return (
                "The account may not be empty, although --reset-command ran before the first call: see that the "
                "command removes every open request of the users of the run,"
            )
        return (
            "The account may not be empty: delete its open requests, also those of an earlier run ('drsi-conformance "
            "cleanup'; --reset-command runs a command of yours before each run),"
        )

    def recorded(self) -> Target:
        """Return the target as evidence has it: without its address and everything that is a secret or leads to it."""
        headers = tuple((name, f"[{mark_of(name)}]") for name, _ in self.headers)
        public = replace(self, user=None, other=None, expired=None, foreign=None, completion=None)
        return replace(public, base_url="", headers=headers, proxy=None)

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
