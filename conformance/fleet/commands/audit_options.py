"""The options of `audit`, and its targets with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.errors import Failure
from conformance.cli.option import option
from conformance.cli.values import PATH, Number
from conformance.cli.waive import FILE_NAME as WAIVERS

if TYPE_CHECKING:
    from conformance.fleet.audit.targets import AuditTarget


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """How the runs of an audit are made, and what becomes of their results; None means not given."""

    output: Path = option(
        "--output",
        type=PATH,
        default="audits",
        show_default=True,
        metavar="DIR",
        help="Folder of this and later audits.",
    )
    workers: int | None = option(
        "--workers",
        type=click.IntRange(1, 1000),
        metavar="NUMBER",
        help="Maximum number of runs at the same time.  [default: 4 for each core, because runs mostly wait; with "
        "--dask, the threads of all workers]",
    )
    dask: str | None = option(
        "--dask",
        metavar="ADDRESS",
        help="Make the runs on the workers of this Dask scheduler, tcp://HOST:PORT or tls://HOST:PORT. They share the "
        "folder of --output.",
    )
    rate: float | None = option(
        "--rate",
        type=Number(0.01, 1_000_000),
        metavar="NUMBER",
        help="Maximum number of requests per second to each origin, where a target has no rate of its own.",
    )
    anonymous: bool = option(
        "--anonymous/--no-anonymous",
        default=True,
        show_default=True,
        help="Do not name the suite in requests, as check --anonymous does, where a target has no choice and no nonce "
        "of its own. The report of each run records the seed that it drew.",
    )
    deadline: float = option(
        "--deadline",
        type=Number(1, 1_000_000),
        default=900,
        show_default=True,
        metavar="SECONDS",
        help="Time after which a run is interrupted: it cleans up, and its report says that it is incomplete.",
    )
    store: str | None = option(
        "--store",
        metavar="STORE",
        help="Add the finished runs to this store, a file of SQLite or the address of a PostgreSQL database.",
    )
    new: bool | None = option(
        "--new/--continue",
        default=None,
        help="Begin a new audit, also if the last one is unfinished; or continue that one, also if it is not known to "
        "be yours, and go on with requests that stayed on purpose.  [default: continue your own]",
    )
    changed_only: bool = option(
        "--changed-only",
        is_flag=True,
        help="Print only the targets that changed since the last audit, and how.",
    )
    notify_command: str | None = option(
        "--notify-command",
        metavar="COMMAND",
        help="Command that gets the regressions since the last audit as JSON on standard input, if there are any.",
    )


def targets_of(path: Path, *, rate: float | None, anonymous: bool, tokens_are_here: bool) -> list[AuditTarget]:
    """Return the targets of the file; raise Failure for what cannot be used, before a service is contacted.

    The variables with the tokens are in this environment, or in that of the workers of a cluster.
    """
    from conformance.fleet.audit import targets
    from conformance.fleet.audit.sources import missing

    state = "No service was contacted."
    chosen = targets.read(path)
    unset = [
        f"{path}, line {each.line}: {name} is not set or empty"
        for each in (chosen if tokens_are_here else ())
        for name in missing(each.tokens)
    ]
    if unset:
        raise Failure("\n".join(unset), remedy="Set these variables to the tokens of their targets.", state=state)
    if (path.resolve().parent / WAIVERS).exists() and any(not _has(each, "--waivers") for each in chosen):
        raise Failure(
            f"{WAIVERS} beside {path} would apply to the runs of all targets that name no other waivers.",
            remedy="Name the file as 'waivers' of its target, and give it another name.",
            state=state,
        )
    usual = [(f"--rate={rate:g}", ["--rate"])] if rate is not None else []
    usual += [("--anonymous", ["--anonymous", "--no-anonymous", "--nonce"])] if anonymous else []
    return [
        replace(each, arguments=(*each.arguments, *(word for word, others in usual if not _has(each, *others))))
        for each in chosen
    ]


def _has(target: AuditTarget, *options: str) -> bool:
    return any(each.partition("=")[0] in options for each in target.arguments)


def variables_of(chosen: list[AuditTarget]) -> frozenset[str]:
    """Return the variables that hold tokens: each run gets its own ones, by another name."""
    return frozenset(each.value for target in chosen for each in target.tokens.values() if each.kind == "variable")
