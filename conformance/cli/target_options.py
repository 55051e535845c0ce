"""The options of every command that calls a target, such as `check` and `doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.config import HELP, load
from conformance.cli.option import AUDIT, FILE, NAMED_FILE, PYTEST, argument, option, token
from conformance.cli.values import PATH, Number, Parsed, headers, shown_proxy

if TYPE_CHECKING:
    from conformance.model.target import Proxy, Token


@dataclass(frozen=True, kw_only=True)
class TargetOptions:
    """The target, its users, and how the suite calls it; None means not given."""

    config: Path | None = option(
        "--config",
        type=PATH,
        metavar="FILE",
        is_eager=True,
        callback=load,
        help=HELP,
    )
    base_url: str | None = argument(
        "base_url",
        metavar="[BASE_URL]",
        required=False,
        type=Parsed(lambda values, text: values.checked_base_url(text)),
        places=NAMED_FILE | PYTEST,
    )
    profile: str = option(
        "--profile",
        type=click.Choice(["full", "public"]),
        default="full",
        show_default=True,
        help="full creates, reads and deletes data requests. public needs no token and creates nothing.",
        recorded=True,
        places=NAMED_FILE | PYTEST,
    )
    user: Token | None = token(
        "token",
        help="The access token. Prefer the variable: the process list shows this option.",
        file="File that contains the access token and nothing else.",
        command="Command that prints the access token. It runs again when the token expires.",
        places=PYTEST,
    )
    other: Token | None = token(
        "other-token",
        help="The second user's token.",
        file="The same for a second user, to test the isolation of users.",
        command="Command that prints the second user's token.",
        places=PYTEST,
    )
    login: bool = option(
        "--login/--no-login",
        default=True,
        show_default=True,
        help="Use the tokens that 'drsi-conformance login' keeps for this service, where no other token is given.",
        places=FILE,
    )
    allow_short_token: bool = option(
        "--allow-short-token/--no-allow-short-token",
        help="Allow a token under 8 characters, or one that is a word of the interface: the record shows it in clear "
        "wherever it is not sent as a credential.",
        recorded=True,
        places=PYTEST | AUDIT,
    )
    ca_file: Path | None = option(
        "--ca-file",
        type=PATH,
        metavar="PEM",
        help="Certificates of authorities to trust in addition.",
        recorded=True,
        places=NAMED_FILE | PYTEST | AUDIT,
    )
    client_cert: Path | None = option(
        "--client-cert",
        type=PATH,
        metavar="PEM",
        help="Certificate that TLS connections show (mutual TLS), perhaps with its key.",
        places=NAMED_FILE | PYTEST | AUDIT,
    )
    client_key: Path | None = option(
        "--client-key",
        type=PATH,
        metavar="PEM",
        help="The key of that certificate, without a passphrase, where it is in another file.",
        places=NAMED_FILE | PYTEST | AUDIT,
    )
    proxy: Proxy | None = option(
        "--proxy",
        type=Parsed(lambda values, text: values.checked_proxy(text)),
        callback=shown_proxy,
        metavar="URL",
        help="HTTP proxy for all calls.  [default: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY]",
        places=NAMED_FILE | PYTEST | AUDIT,
    )
    header: tuple[tuple[str, str], ...] = option(
        "--header",
        multiple=True,
        callback=headers,
        metavar="NAME:VALUE|@FILE",
        help="Further header field of every call, such as the key of a gateway; @FILE has a line for each. The values "
        "are secrets.",
        places=NAMED_FILE | PYTEST | AUDIT,
    )
    timeout: float | None = option(
        "--timeout",
        type=Number(0.05, 86_400),
        metavar="SECONDS",
        help="Maximum time of one exchange.  [default: 30, and 15 to the first byte]",
        recorded=True,
        places=FILE | PYTEST | AUDIT,
    )
    rate: float | None = option(
        "--rate",
        type=Number(0.01, 1_000_000),
        metavar="NUMBER",
        help="Maximum number of requests per second.",
        recorded=True,
        places=FILE | PYTEST | AUDIT,
    )
    concurrency: int = option(
        "--concurrency",
        type=click.IntRange(1, 64),
        default=4,
        show_default=True,
        metavar="NUMBER",
        help="Maximum number of simultaneous requests, except where a check tests simultaneous requests.",
        recorded=True,
        places=FILE | PYTEST | AUDIT,
    )
    seed: int = option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        metavar="NUMBER",
        help="The same seed sends the same requests. check --anonymous draws one, which the report records.",
        recorded=True,
        places=NAMED_FILE | PYTEST | AUDIT,
    )
    account_is_for_testing: bool = option(
        "--account-is-for-testing/--no-account-is-for-testing",
        help="Confirm that the accounts exist for tests. Without it no run begins whose account may be a person's.",
        recorded=True,
        places=NAMED_FILE | PYTEST | AUDIT,
    )
    debug: bool = option("--debug", is_flag=True, help="Show the traceback when the suite itself fails.")
