"""`drsi-conformance audit`: many services in one command, each run in a process of its own."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from conformance import NAME
from conformance.cli import config
from conformance.cli.errors import Failure, writing
from conformance.cli.signals import Interruption
from conformance.cli.values import PATH, Number
from conformance.cli.waive import FILE_NAME as WAIVERS
from conformance.model.text import count
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.audit.document import Audit
    from conformance.audit.folders import AuditFolder
    from conformance.audit.one_run import Job
    from conformance.audit.result import Result
    from conformance.audit.targets import AuditTarget

OPTIONS: Final = (
    *("select", "deselect", "only", "set", "strict", "fail_on", "waivers", "stale_waivers", "repeat"),
    *("language_selector", "empty_account", "account_is_for_testing", "also_base_url", "anonymous", "thorough"),
    *("max_created", "max_requests", "max_time", "await_completion", "complete_command", "reset_command"),
    *("timeout", "rate", "concurrency", "seed", "ca_file", "nonce", "format", "specification", "help_base"),
    "pseudonym_key",
)
"""The options of `check` that a target may have. An audit chooses or refuses the others."""

_NOTIFY_PATIENCE: Final = 60.0
"""Seconds that the command of --notify-command may take."""


@click.command(
    "audit",
    short_help="Check many services, each in a process of its own, and compare with the last audit.",
    epilog="Exit codes: the worst of all runs, in the order 4, 1, 3, 2, 0. A service that cannot be reached counts as "
    "3. An audit that was interrupted ends with 3, and the same command continues it.",
)
@click.argument("targets", type=PATH, metavar="TARGETS")
@click.option(
    "--output", type=PATH, default="audits", show_default=True, metavar="DIR", help="Folder of this and later audits."
)
@click.option(
    "--workers",
    type=click.IntRange(1, 1000),
    metavar="NUMBER",
    help="Maximum number of runs at the same time.  [default: 4 for each core, because runs mostly wait]",
)
@click.option(
    "--rate",
    type=Number(0.01, 1_000_000),
    metavar="NUMBER",
    help="Maximum number of requests per second to each origin, where a target has no rate of its own.",
)
@click.option(
    "--deadline",
    type=Number(1, 1_000_000),
    default=900,
    show_default=True,
    metavar="SECONDS",
    help="Time after which a run is interrupted: it cleans up, and its report says that it is incomplete.",
)
@click.option(
    "--grace",
    type=Number(0.1, 86_400),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="Time for the clean-up of an interrupted run, before its process is ended and a clean-up is made for it.",
)
@click.option(
    "--memory",
    type=click.IntRange(0, 1_000_000),
    default=2048,
    show_default=True,
    metavar="MIB",
    help="Address space of each run, on Linux; 0 for no limit.",
)
@click.option(
    "--retries",
    type=click.IntRange(0, 100),
    default=2,
    show_default=True,
    metavar="NUMBER",
    help="How often a run that the network prevented is made again, after all others.",
)
@click.option(
    "--retry-pause",
    type=Number(0, 86_400),
    default=30,
    show_default=True,
    metavar="SECONDS",
    help="Pause before the runs that the network prevented are made again.",
)
@click.option("--new", is_flag=True, help="Begin a new audit, also if the last one is unfinished.")
@click.option("--changed-only", is_flag=True, help="Print only the targets that changed since the last audit, and how.")
@click.option(
    "--notify-command",
    metavar="COMMAND",
    help="Command that gets the regressions since the last audit as JSON on standard input, if there are any.",
)
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.pass_context
def command(context: click.Context, /, *, targets: Path, output: Path, changed_only: bool, **given: Any) -> int:
    """Check each service that the file TARGETS names, and keep the runs in a folder for this audit below --output.

    TARGETS is a TOML file with tables [[target]], or a CSV file with a head. The same command continues an audit that
    was interrupted or killed, without the runs that are finished; after a finished audit it begins the next one, and
    compares the two.
    """
    from conformance.audit import folders
    from conformance.cli.audit_table import print_changes, print_results

    chosen = _targets(targets, given["rate"])
    interruption = context.ensure_object(Interruption)
    with writing("--output", "No service was contacted."), folders.claimed(output) as free:
        if not free:
            raise Failure(
                f"Another audit is in progress in {output}.",
                remedy="Wait until it ends, or name another folder with --output.",
            )
        folder = _folder(output, new=given["new"])
        results = _results(chosen, folder, targets.resolve().parent, interruption, given)
        if interruption.received:
            return _interrupted(results, chosen)
        audit = _concluded(output, folder, results)
    print_changes(audit) if changed_only else print_results(audit)
    click.echo(f"\n{folder.document}")
    code = audit.exit_code
    if given["notify_command"] and audit.regressions and not _notified(given["notify_command"], audit, chosen):
        from conformance.reports.exit_code import worst

        code = worst([code, Exit.USAGE])
    return code


def _targets(path: Path, rate: float | None) -> list[AuditTarget]:
    """Return the targets of the file; raise Failure for whatever cannot be used, before a service is contacted."""
    from conformance.audit import targets
    from conformance.audit.sources import missing

    state = "No service was contacted."
    try:
        chosen = targets.read(path, OPTIONS, _arguments)
    except targets.WrongTargets as fault:
        raise Failure(str(fault), remedy=fault.remedy, state=state) from None
    unset = [
        f"{path}, line {each.line}: {name} is not set or empty" for each in chosen for name in missing(each.tokens)
    ]
    if unset:
        raise Failure("\n".join(unset), remedy="Set these variables to the tokens of their targets.", state=state)
    if (path.resolve().parent / WAIVERS).exists() and any(not _has(each, "--waivers") for each in chosen):
        raise Failure(
            f"{WAIVERS} beside {path} would apply to the runs of all targets that name no other waivers.",
            remedy="Name the file as 'waivers' of its target, and give it another name.",
            state=state,
        )
    return [
        each if rate is None or _has(each, "--rate") else each.with_arguments(f"--rate={rate:g}") for each in chosen
    ]


def _has(target: AuditTarget, option: str) -> bool:
    return any(each.partition("=")[0] == option for each in target.arguments)


def _arguments(key: str, value: Any, folder: Path) -> Sequence[str]:
    """Return an option of `check` with its value as arguments; raise ValueError for a wrong one.

    A text, as CSV has it, is read as on the command line; a value of TOML has to have the type of the option.
    """
    from conformance.cli.check import command as check

    option = next(each for each in check.params if each.name == key)
    name = f"--{key.replace('_', '-')}"
    if isinstance(option.type, click.types.BoolParamType) and isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower(), value)
    elif option.multiple and isinstance(value, str):
        value = value.split() if key == "also_base_url" else [value]
    is_number = isinstance(option.type, click.types.FloatParamType | click.types.IntParamType)
    if not (is_number and isinstance(value, str)):
        value = config.value_of(key, option, value, folder)
    try:
        option.process_value(click.Context(check), value)
    except click.UsageError as error:
        raise ValueError(error.message) from None
    if isinstance(value, bool):
        return [name if value else f"--no-{name[2:]}"]
    return [f"{name}={each}" for each in (value if isinstance(value, list) else [value])]


def _folder(output: Path, *, new: bool) -> AuditFolder:
    """Return the folder of the unfinished audit, or of a new one."""
    from conformance.audit import folders

    last = folders.unfinished(output)
    if last is not None and not new:
        click.echo(f"Continuing the audit {last.id}. --new begins another one.", err=True)
        return last
    try:
        return folders.new(output, datetime.now(UTC))
    except FileExistsError:
        raise Failure(
            f"An audit of {output} began in this very second.", remedy="Run the command again in a second."
        ) from None


class _Stop:
    """Whether the audit was interrupted. A signal handler sets it, which may hold no lock."""

    def __init__(self) -> None:
        self.value = False

    def set(self) -> None:
        self.value = True

    def is_set(self) -> bool:
        return self.value


def _results(
    chosen: list[AuditTarget], folder: AuditFolder, place: Path, interruption: Interruption, given: dict[str, Any]
) -> list[Result]:
    """Make the runs that are not finished, and return all results, in the order of the file."""
    from conformance.audit.one_run import run_target
    from conformance.audit.schedule import results
    from conformance.cli.audit_table import progress_of

    known = {each.name: found for each in chosen if (found := folder.finished(each))}
    jobs = [_job(each, folder, place, _variables(chosen), given) for each in chosen if each.name not in known]
    stop = _Stop()
    with progress_of(given["quiet"], chosen, known.values()) as progress, _executor(given["workers"]) as executor:

        def interrupt() -> None:
            stop.set()
            progress.interrupted()

        interruption.stop = interrupt
        interruption.last_words = lambda: f"{_STOPPED} To continue: {_again()}\n"
        made = results(
            jobs,
            run_target,
            executor,
            stop,
            progress,
            retries=given["retries"],
            pause=given["retry_pause"],
        )
    ended = known | {each.name: each for each in made}
    return [ended[each.name] for each in chosen if each.name in ended]


_STOPPED: Final = (
    "\nStopped at once. The runs that were in progress are still deleting what they created; the next audit waits for "
    "them, and deletes what they leave."
)


def _job(target: AuditTarget, folder: AuditFolder, place: Path, withheld: frozenset[str], given: dict[str, Any]) -> Job:
    from conformance.audit.one_run import Job

    return Job(
        target=target,
        work=folder.work(target.name).resolve(),
        final=folder.run(target.name).resolve(),
        place=place,
        deadline=given["deadline"],
        grace=given["grace"],
        memory=given["memory"],
        withheld=withheld,
    )


def _variables(chosen: list[AuditTarget]) -> frozenset[str]:
    """Return the variables that hold tokens: each run gets its own ones, by another name."""
    return frozenset(each.value for target in chosen for each in target.tokens.values() if each.kind == "variable")


@contextmanager
def _executor(workers: int | None) -> Iterator[Executor]:
    """Yield what makes the runs: threads, each of which waits for the process of a run."""
    with ThreadPoolExecutor(workers or 4 * (os.cpu_count() or 1)) as executor:
        yield executor


def _concluded(output: Path, folder: AuditFolder, results: list[Result]) -> Audit:
    """Compare the results with those of the last audit, and write audit.json: the audit is finished."""
    import msgspec

    from conformance.audit import document, folders
    from conformance.audit.changes import changes

    last = folders.before(output, folder)
    found = []
    try:
        if last is not None:
            old = document.read(last.document).targets
            found = list(changes(old, results, last.run, folder.run))
    except (OSError, msgspec.MsgspecError) as error:
        click.echo(f"Warning: the last audit cannot be compared: {last and last.path}: {error}", err=True)
        last = None
    audit = document.audit_of(folder, results, finished=_now(), previous=last.id if last else None, changes=found)
    document.write(audit, folder.document)
    return audit


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _again() -> str:
    return shlex.join([NAME, *sys.argv[1:]])


def _interrupted(results: list[Result], chosen: list[AuditTarget]) -> int:
    """Say what an interrupted audit has done, and how to continue it."""
    done = sum(each.is_finished for each in results)
    left = sum(each.left_behind for each in results)
    remains = f" {count(left, 'data request')} may be left behind; the next audit deletes them." if left else ""
    click.echo(
        f"Interrupted: {done:,} of {count(len(chosen), 'run')} finished.{remains} To continue: {_again()}", err=True
    )
    return Exit.INCONCLUSIVE


def _notified(text: str, audit: Audit, chosen: list[AuditTarget]) -> bool:
    """Give the regressions to the command of the user; tell whether it took them, and say so if not."""
    from conformance.audit.document import regressions_json
    from conformance.http.processes import words_of

    withheld = _variables(chosen)
    kept = {name: each for name, each in os.environ.items() if name not in withheld and not name.startswith("DRSI_")}
    try:
        done = subprocess.run(  # noqa: S603 - the user's own
            words_of(text), input=regressions_json(audit).encode(), env=kept, timeout=_NOTIFY_PATIENCE, check=False
        )
        reason = f"it ended with exit code {done.returncode}" if done.returncode else ""
    except subprocess.TimeoutExpired:
        reason = f"it took longer than {_NOTIFY_PATIENCE:g} s"
    except (OSError, ValueError) as error:
        reason = f"it could not be started ({getattr(error, 'strerror', None) or error})"
    if reason:
        click.echo(f"Error: --notify-command: {reason}. {NAME} keeps the regressions in audit.json.", err=True)
    return not reason
