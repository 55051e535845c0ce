"""The target and the session that the options of a command describe."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from conformance.cli import certificates, pseudonym_key, token_sources
from conformance.cli.check_options import CheckOptions
from conformance.cli.option import read, recorded
from conformance.reference.process import ReferenceProcess
from conformance.reports.again import REFERENCE

if TYPE_CHECKING:
    from conformance.http.creations.journal import Journal
    from conformance.http.session import Session
    from conformance.http.wire.transport import BoundedTransport
    from conformance.model.target import Target


@dataclass(frozen=True, kw_only=True)
class Options(CheckOptions):
    """The options of `check`, or of a command that has some of them, as what they describe."""

    @classmethod
    def of(cls, context: click.Context) -> Self:
        """Return the options that click has read."""
        return cls(**read(cls, context, token_sources.token))

    @classmethod
    def public(cls, base_url: str, *, ca_file: Path | None, timeout: float | None, debug: bool) -> Self:
        """Return the options for a look at what a service shows without a token."""
        return cls(base_url=base_url, profile="public", ca_file=ca_file, timeout=timeout, concurrency=1, debug=debug)

    @property
    def resets(self) -> bool:
        """Whether a command removes the requests of the account before the run; only a full run needs that."""
        return self.reset_command is not None and self.profile != "public"

    def recorded(self) -> dict[str, Any]:
        """Return every option that can change a verdict or the traffic, by its name on the command line."""
        values = dict(recorded(self))
        values |= {"app": REFERENCE} if self.base_url is None else {}
        # Of tokens and commands only that they were given.
        values |= {"expired-token": self.expired is not None, "foreign-token": self.foreign is not None}
        values |= {"repeat": self.repeat} if self.repeat > 1 else {}
        values |= {"also-base-url": self.also_base_url} if self.also_base_url else {}
        values |= {"complete-command": self.complete_command is not None, "reset-command": self.resets}
        return {
            name: value if value is None or isinstance(value, bool | int | float | tuple) else str(value)
            for name, value in values.items()
        }

    def target(self, service: ReferenceProcess | None = None) -> Target:
        """Return the target: the service at BASE_URL, or `service` once it is ready."""
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
            also_base_urls=self.also_base_url,
            account_is_empty=embedded or self.empty_account,
            account_is_for_testing=self.account_is_for_testing,
            account_was_reset=self.resets,
            allow_short_token=self.allow_short_token,
            budget=budget,
            is_application=self.app is not None,
            app_host=self.app_host or "",
            anonymous=self.anonymous,
        )
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
        from conformance.http.wire.transport import BoundedTransport

        bounds = Limits() if self.timeout is None else Limits(deadline=self.timeout, first_byte=self.timeout)
        # Certificates take long to load, so a run over plain http does without.
        verify = certificates.trusted(self.ca_file) if self.ca_file is not None or target.is_https else None
        return BoundedTransport(bounds=bounds, verify=verify)

    def waited(self, target: Target) -> str:
        """Wait until GET /settings answers, at most `wait` seconds; return what stands in the way, or ""."""
        from conformance.http.appearance import header_of
        from conformance.http.waiting import wait_for

        header = header_of(self.nonce or "", anonymous=self.anonymous)
        with closing(self._transport(target)) as transport:
            waited = (
                wait_for(f"{each}/settings", self.wait, headers=header, transport=transport)
                for each in target.addresses
            )
            return next(filter(None, waited), "")
