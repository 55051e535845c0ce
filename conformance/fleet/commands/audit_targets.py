"""The targets of an audit, with the options of the audit, and where their tokens come from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli.errors import Failure
from conformance.cli.waive import FILE_NAME as WAIVERS

if TYPE_CHECKING:
    from conformance.fleet.audit.targets import AuditTarget


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
    return [each.with_arguments(*(word for word, others in usual if not _has(each, *others))) for each in chosen]


def _has(target: AuditTarget, *options: str) -> bool:
    return any(each.partition("=")[0] in options for each in target.arguments)


def variables_of(chosen: list[AuditTarget]) -> frozenset[str]:
    """Return the variables that hold tokens: each run gets its own ones, by another name."""
    return frozenset(each.value for target in chosen for each in target.tokens.values() if each.kind == "variable")
