"""The options that `check` and `doctor` share, and the target and session that they describe."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click

from conformance.cli import certificates, config, pseudonym_key
from conformance.cli.values import PATH, Number, Parsed
from conformance.reference.process import ReferenceProcess

if TYPE_CHECKING:
    from conformance.http.creations.journal import Journal
    from conformance.http.session import Session
    from conformance.http.wire.transport import BoundedTransport
    from conformance.model.target import LanguageSelector, Target, Token

_Command = TypeVar("_Command", bound=Callable[..., Any])

_TARGET_OPTIONS = (
    click.option(
        "--config",
        type=PATH,
        metavar="FILE",
        is_eager=True,
        callback=config.load,
        help=f"Read options from this TOML file.  [default: {config.FILE_NAME}, if it exists]",
    ),
    click.argument(
        "base_url",
        metavar="[BASE_URL]",
        required=False,
        type=Parsed(lambda target, text: target.checked_base_url(text)),
    ),
    click.option(
        "--profile",
        type=click.Choice(["full", "public", "upstream"]),
        default="full",
        show_default=True,
        help="full creates, reads and deletes data requests. public needs no token and creates nothing. upstream is "
        "full, and also observes what the interface's public ancestor has beyond the specification.",
    ),
    click.option(
        "--token-file", type=PATH, metavar="FILE", help="File that contains the access token and nothing else."
    ),
    click.option(
        "--token-command",
        metavar="COMMAND",
        help="Command that prints the access token. It runs again when the token expires.",
    ),
    click.option(
        "--token",
        metavar="TOKEN",
        envvar="DRSI_TOKEN",
        show_envvar=True,
        help="The access token. Prefer the variable: the process list shows this option.",
    ),
    click.option(
        "--other-token-file",
        type=PATH,
        metavar="FILE",
        help="The same for a second user, to test the isolation of users.",
    ),
    click.option("--other-token-command", metavar="COMMAND", help="Command that prints the second user's token."),
    click.option(
        "--other-token", metavar="TOKEN", envvar="DRSI_OTHER_TOKEN", show_envvar=True, help="The second user's token."
    ),
    click.option(
        "--login/--no-login",
        default=True,
        show_default=True,
        help="Use the tokens that 'drsi-conformance login' keeps for this service, where no other token is given.",
    ),
    click.option("--ca-file", type=PATH, metavar="PEM", help="Certificates of authorities to trust in addition."),
    click.option(
        "--timeout",
        type=Number(0.05, 86_400),
        metavar="SECONDS",
        help="Maximum time of one exchange.  [default: 30, and 15 to the first byte]",
    ),
    click.option(
        "--rate", type=Number(0.01, 1_000_000), metavar="NUMBER", help="Maximum number of requests per second."
    ),
    click.option(
        "--concurrency",
        type=click.IntRange(1, 64),
        default=4,
        show_default=True,
        metavar="NUMBER",
        help="Maximum number of simultaneous requests, except where a check tests simultaneous requests.",
    ),
    click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        metavar="NUMBER",
        help="The same seed sends the same requests.",
    ),
    click.option(
        "--account-is-for-testing/--no-account-is-for-testing",
        help="Confirm that the accounts exist for tests. Without it no run begins whose account may be a person's.",
    ),
    click.option("--debug", is_flag=True, help="Show the traceback when the suite itself fails."),
)


def target_options(command: _Command) -> _Command:
    """Give `command` the argument and the options of every command that calls a target."""
    for option in reversed(_TARGET_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of `check`, and of `doctor`, which has only those without a default here; None means not given."""

    config: Path | None
    base_url: str | None
    profile: str
    user: Token | None
    other: Token | None
    ca_file: Path | None
    timeout: float | None
    rate: float | None
    concurrency: int
    seed: int
    debug: bool
    expired: Token | None = None
    foreign: Token | None = None
    app: str | None = None
    select: tuple[str, ...] = ()
    deselect: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    also_base_url: tuple[str, ...] = ()
    set: str = ""
    """Name of the set of requirements that are scored; empty for the whole catalogue."""
    strict: bool = False
    fail_on: tuple[str, ...] = ()
    language_selector: LanguageSelector | None = None
    empty_account: bool = False
    account_is_for_testing: bool = False
    anonymous: bool = False
    thorough: bool = False
    max_created: int | None = None
    max_requests: int | None = None
    max_time: float | None = None
    await_completion: float | None = None
    complete_command: str | None = None
    reset_command: str | None = None
    output: Path | None = None
    format: tuple[str, ...] = ()
    label: tuple[tuple[str, str], ...] = ()
    authority: str | None = None
    quiet: bool = False
    waivers: Path | None = None
    stale_waivers: str = "fail"
    baseline: Path | None = None
    last_failed: bool = False
    repeat: int = 1
    wait: float = 0
    nonce: str | None = None
    keep_personal_data: bool = False
    pseudonym_key: Path | None = None
    specification: Path | None = None
    help_base: str | None = None

    @classmethod
    def of(cls, context: click.Context) -> Self:
        """Return the options that click has read."""
        names = {each.name for each in fields(cls)}
        given = {name: value for name, value in context.params.items() if name in names}
        return cls(
            user=config.token(context, "token"),
            other=config.token(context, "other_token"),
            expired=config.token(context, "expired_token"),
            foreign=config.token(context, "foreign_token"),
            **given,
        )

    @classmethod
    def public(cls, base_url: str, *, ca_file: Path | None, timeout: float | None, debug: bool) -> Self:
        """Return the options for a look at what a service shows without a token."""
        return cls(
            config=None,
            base_url=base_url,
            profile="public",
            user=None,
            other=None,
            ca_file=ca_file,
            timeout=timeout,
            rate=None,
            concurrency=1,
            seed=0,
            debug=debug,
        )

    @property
    def resets(self) -> bool:
        """Whether a command removes the requests of the account before the run; only a full run needs that."""
        return self.reset_command is not None and self.profile != "public"

    def recorded(self) -> dict[str, Any]:
        """Return every option that can change a verdict or the traffic, by its name on the command line."""
        values = {name.replace("_", "-"): getattr(self, name) for name in _RECORDED}
        # Of tokens and commands only that they were given.
        values |= {"expired-token": self.expired is not None, "foreign-token": self.foreign is not None}
        values |= {"set": self.set}
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
            budget=budget,
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


_RECORDED = (
    *("anonymous", "profile", "select", "deselect", "only", "strict", "fail_on", "language_selector", "empty_account"),
    *("thorough", "max_created", "max_requests", "max_time", "await_completion", "timeout", "rate", "concurrency"),
    *("seed", "ca_file", "waivers", "stale_waivers", "keep_personal_data", "account_is_for_testing"),
)
