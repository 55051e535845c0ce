"""The targets of an audit, with the options of `check` that they may have, and where their tokens come from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli import config
from conformance.cli.check import command as check
from conformance.cli.errors import Failure
from conformance.cli.option import AUDIT, allowed
from conformance.cli.waive import FILE_NAME as WAIVERS

if TYPE_CHECKING:
    from conformance.fleet.audit.targets import AuditTarget


def targets_of(path: Path, *, rate: float | None, anonymous: bool, tokens_are_here: bool) -> list[AuditTarget]:
    """Return the targets of the file; raise Failure for whatever cannot be used, before a service is contacted.

    The variables with the tokens are in this environment, or in that of the workers of a cluster.
    """
    from conformance.fleet.audit import targets
    from conformance.fleet.audit.sources import missing

    state = "No service was contacted."
    try:
        chosen = targets.read(path, allowed(check, AUDIT), arguments_of)
    except targets.WrongTargets as fault:
        raise Failure(str(fault), remedy=fault.remedy, state=state) from None
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
    return [each.with_arguments(*(word for word, others in usual if not _has(each, *others))) for each in chosen]


def _has(target: AuditTarget, *options: str) -> bool:
    return any(each.partition("=")[0] in options for each in target.arguments)


def arguments_of(key: str, value: Any, folder: Path) -> Sequence[str]:
    """Return an option of `check` with its value as arguments; raise ValueError for a wrong one.

    A text, as CSV has it, is read as on the command line; a value of TOML has to have the type of the option.
    """
    option = next(each for each in check.params if each.name == key)
    name = f"--{key.replace('_', '-')}"
    if isinstance(option.type, click.types.BoolParamType) and isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower(), value)
    elif option.multiple and isinstance(value, str):
        value = [value]
    is_number = isinstance(option.type, click.types.FloatParamType | click.types.IntParamType)
    if not (is_number and isinstance(value, str)):
        value = config.value_of(key, option, value, folder)
    _refuse_secrets(key, value)
    try:
        option.process_value(click.Context(check), value)
    except click.UsageError as error:
        raise ValueError(error.message) from None
    if isinstance(value, bool):
        return [name if value else f"--no-{name[2:]}"]
    return [f"{name}={each}" for each in (value if isinstance(value, list) else [value])]


def _refuse_secrets(key: str, value: Any) -> None:
    """Raise ValueError for a secret, which would stand in the command line of the run and in the files of the audit."""
    if key == "header" and not all(each.startswith("@") for each in value):
        raise ValueError(
            "expected @FILE, a file with a line NAME: VALUE for each header field, received another text, which is not "
            "shown because it may be a secret."
        )
    if key == "proxy" and "@" in value:
        raise ValueError(
            "the address has a name or password, which does not belong in this file. Remove it, and set HTTPS_PROXY or "
            "HTTP_PROXY, which every run reads."
        )


def variables_of(chosen: list[AuditTarget]) -> frozenset[str]:
    """Return the variables that hold tokens: each run gets its own ones, by another name."""
    return frozenset(each.value for target in chosen for each in target.tokens.values() if each.kind == "variable")
