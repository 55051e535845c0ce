"""The options that say what is looked at and how it is reached, for every command that calls a target."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)

_TARGET_OPTIONS = (
    click.argument("base_url", metavar="[BASE_URL]", required=False),
    click.option(
        "--profile",
        type=click.Choice(["full", "public"]),
        help="full creates, reads and deletes data requests; public needs no token and creates nothing.  [full]",
    ),
    click.option("--token-file", type=PATH, metavar="FILE", help="File that holds the access token, and nothing else."),
    click.option(
        "--token-command",
        metavar="COMMAND",
        help="Command that prints the access token; run again when the token expires.",
    ),
    click.option("--token", metavar="TOKEN", help="The access token itself; shows in the process list."),
    click.option(
        "--other-token-file",
        type=PATH,
        metavar="FILE",
        help="The same for a second user, whom isolation is tried with.",
    ),
    click.option("--other-token-command", metavar="COMMAND", help="Command that prints the second user's token."),
    click.option("--other-token", metavar="TOKEN", help="The second user's token itself; shows as well."),
    click.option(
        "--ca-file", type=PATH, metavar="PEM", help="Certificates of authorities to trust beside the usual ones."
    ),
    click.option(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="How long one exchange may take.  [30, and 10 to its first byte]",
    ),
    click.option("--rate", type=float, metavar="NUMBER", help="Most requests per second.  [no limit]"),
    click.option(
        "--concurrency", type=int, metavar="NUMBER", help="Most requests under way at a time; races apart.  [4]"
    ),
    click.option("--seed", type=int, metavar="NUMBER", help="Same seed, same questions.  [0]"),
    click.option(
        "--config", type=PATH, metavar="FILE", help="Configuration with the same keys.  [drsi-conformance.toml]"
    ),
    click.option("--debug", is_flag=True, help="Show the traceback when the suite itself fails."),
)


def target_options(command: _Command) -> _Command:
    """Give `command` the argument and the options of everything that calls a target."""
    for option in reversed(_TARGET_OPTIONS):
        command = option(command)
    return command
