"""`drsi-conformance audit`: many services in one command, each run in a process of its own."""

from __future__ import annotations

import os
import shlex
import sys
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from conformance import NAME
from conformance.cli.audit_results import concluded, notified, opened, stored
from conformance.cli.audit_targets import targets_of, variables_of
from conformance.cli.errors import Failure, writing
from conformance.cli.signals import Interruption
from conformance.cli.values import PATH, Number
from conformance.model.text import count
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.audit.folders import AuditFolder
    from conformance.audit.one_run import Job
    from conformance.audit.result import Result
    from conformance.audit.targets import AuditTarget


PRELOADED: Final = (
    *("conformance.cli.check", "conformance.cli.checked_run", "conformance.cli.verify", "conformance.runner.run"),
    *("conformance.pytest_plugin.plain_run", "conformance.http.wire.transport", "conformance.generation.cases"),
    *("conformance.generation.machine", "conformance.generation.smallest", "hypothesis.stateful", "schemathesis"),
    "jsonschema",
)
"""What every run loads. A fork of a process that has loaded it starts without this work."""


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
@click.option(
    "--store",
    metavar="STORE",
    help="Add the finished runs to this store, a file of SQLite or the address of a PostgreSQL database.",
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

    chosen = targets_of(targets, given["rate"])
    interruption = context.ensure_object(Interruption)
    with (
        opened(given["store"]) as store,
        writing("--output", "No service was contacted."),
        folders.claimed(output) as free,
    ):
        if not free:
            raise Failure(
                f"Another audit is in progress in {output}.",
                remedy="Wait until it ends, or name another folder with --output.",
            )
        folder = _folder(output, new=given["new"])
        results = _results(chosen, folder, targets.resolve().parent, interruption, given)
        if interruption.received:
            return _interrupted(results, chosen)
        if store is not None:
            stored(store, folder, chosen, results)
        audit = concluded(output, folder, results)
    print_changes(audit) if changed_only else print_results(audit)
    click.echo(f"\n{folder.document}")
    code = audit.exit_code
    if (
        given["notify_command"]
        and audit.regressions
        and not notified(given["notify_command"], audit, variables_of(chosen))
    ):
        from conformance.reports.exit_code import worst

        code = worst([code, Exit.USAGE])
    return code


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
    from conformance.audit.launch import forking
    from conformance.audit.one_run import run_target
    from conformance.audit.schedule import results
    from conformance.cli.audit_table import progress_of

    known = {each.name: found for each in chosen if (found := folder.finished(each))}
    jobs = [_job(each, folder, place, variables_of(chosen), given) for each in chosen if each.name not in known]
    stop = _Stop()
    with (
        forking(PRELOADED, variables_of(chosen)) as launch,
        progress_of(given["quiet"], chosen, known.values()) as progress,
        _executor(given["workers"]) as executor,
    ):

        def interrupt() -> None:
            stop.set()
            progress.interrupted()

        interruption.stop = interrupt
        interruption.last_words = lambda: f"{_STOPPED} To continue: {_again()}\n"
        made = results(
            jobs,
            partial(run_target, launch=launch),
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


@contextmanager
def _executor(workers: int | None) -> Iterator[Executor]:
    """Yield what makes the runs: threads, each of which waits for the process of a run."""
    with ThreadPoolExecutor(workers or 4 * (os.cpu_count() or 1)) as executor:
        yield executor


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
