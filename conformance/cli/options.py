"""The target and the session that the options of a command describe."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import click

from conformance.cli import pseudonym_key, token_sources
from conformance.cli.check_options import CheckOptions
from conformance.cli.option import read, recorded
from conformance.cli.route import OPTIONS as ROUTE
from conformance.cli.route import Route, demand_certificate, demand_no_authorization
from conformance.reports.again import REFERENCE

if TYPE_CHECKING:
    from conformance.http.creations.journal import Journal
    from conformance.http.session import Session
    from conformance.http.wire.transport import BoundedTransport
    from conformance.model.target import Target
    from conformance.reference.process import ReferenceProcess


@dataclass(frozen=True, kw_only=True)
class Options(CheckOptions):
    """The options of `check`, or of a command that has some of them, as what they describe."""

    @classmethod
    def of(cls, context: click.Context) -> Self:
        """Return the options that click has read."""
        return cls(**read(cls, context, token_sources.token))

    @classmethod
    def public(cls, given: Any) -> Self:
        """Return the options for a look at what a service shows without a token; `given` has some as attributes."""
        same = {name: getattr(given, name) for name in ("base_url", *ROUTE, "timeout", "debug")}
        return cls(**same, profile="public", concurrency=1)

    @cached_property
    def route(self) -> Route:
        """How the calls get to the service."""
        demand_certificate(self.client_key, self.client_cert)
        if self.profile != "public":
            demand_no_authorization(self.header)
        return Route.of(self, is_direct=self.base_url is None or self.app is not None)

    @property
    def resets(self) -> bool:
        """Whether a command removes the requests of the account before the run; only a full run needs that."""
        return self.reset_command is not None and self.profile != "public"

    def recorded(self) -> dict[str, Any]:
        """Return every option that can change a verdict or the traffic, by its name on the command line."""
        import httpx

        values = dict(recorded(self))
        values |= {"app": REFERENCE} if self.base_url is None else {}
        # Of tokens and commands only that they were given.
        values |= {"expired-token": self.expired is not None, "foreign-token": self.foreign is not None}
        values |= {"client-cert": True} if self.client_cert else {}
        if self.base_url is not None and (proxy := self.route.proxy_to(httpx.URL(self.base_url))):
            values["proxy"] = proxy.address
        values |= {"header": tuple(name for name, _ in self.header)} if self.header else {}
        values |= {"repeat": self.repeat} if self.repeat > 1 else {}
        values |= {name: True for name, given in (("leave", self.leave), ("resume", self.resume)) if given}
        values |= {"complete-command": self.complete_command is not None, "reset-command": self.resets}
        return {
            name: value if value is None or isinstance(value, bool | int | float | tuple) else str(value)
            for name, value in values.items()
        }

    def target(self, service: ReferenceProcess | None = None) -> Target:
        """Return the target: the service at BASE_URL, or `service` once it is ready."""
        import httpx

        from conformance.http.commands import CompletionCommand
        from conformance.model.target import Budget, Target, Token

        usual = Budget(thorough=self.thorough)
        budget = replace(
            usual,
            max_created=usual.max_created * usual.times if self.max_created is None else self.max_created,
            max_requests=self.max_requests,
            max_time=self.max_time,
            await_completion=self.await_completion,
            rate=self.rate,
            concurrency=self.concurrency,
        )
        embedded = self.base_url is None
        target = Target(
            base_url=self.base_url or "http://127.0.0.1",
            user=self.user,
            other=Token("not-used") if embedded else self.other,
            expired=self.expired,
            foreign=self.foreign,
            completion=CompletionCommand(self.complete_command) if self.complete_command else None,
            language_selector=self.language_selector,
            account_is_empty=embedded or self.empty_account,
            account_is_for_testing=self.account_is_for_testing,
            account_was_reset=self.resets,
            allow_short_token=self.allow_short_token,
            budget=budget,
            is_application=self.app is not None,
            app_host=self.app_host or "",
            anonymous=self.anonymous,
            headers=() if embedded else self.header,
            has_client_certificate=self.client_cert is not None,
            has_own_authority=self.ca_file is not None,
        )
        target = replace(target, proxy=self.route.proxy_to(httpx.URL(target.base_url)))
        if service is None:
            return target
        service.start()
        user, other = map(Token, service.tokens)
        return replace(target, base_url=service.base_url, user=user, other=other)

    def session(self, target: Target, journal: Journal | None = None, *, began: float | None = None) -> Session:
        """Return the session with `target`. Its time counts from `began`, or from now."""
        from conformance.http.session import Session

        return Session(
            target,
            seed=self.seed,
            journal=journal,
            began=began,
            transport=self._transport(target),
            nonce=self.nonce or "",
            pseudonym_key=pseudonym_key.of(self.pseudonym_key) if self.pseudonym_key else b"",
            keep_personal_data=self.keep_personal_data,
        )

    def _transport(self, target: Target) -> BoundedTransport:
        from conformance.http.wire.exchange_limits import Limits

        bounds = Limits() if self.timeout is None else Limits(deadline=self.timeout, first_byte=self.timeout)
        return self.route.transport(bounds, uses_tls=target.is_https)

    def waited(self, target: Target) -> str:
        """Wait until GET /settings answers, at most `wait` seconds; return what stands in the way, or ""."""
        from conformance.http.appearance import header_of
        from conformance.http.waiting import wait_for

        header = header_of(self.nonce or "", anonymous=self.anonymous)
        header.update(target.headers)
        with closing(self._transport(target)) as transport:
            return wait_for(f"{target.base_url}/settings", self.wait, headers=header, transport=transport)
