"""`drsi-conformance audit`: many services in one command, each run in a process of its own."""

from __future__ import annotations

import os
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from conformance import NAME
from conformance.cli.errors import Failure, writing
from conformance.cli.option import with_options
from conformance.cli.signals import Interruption
from conformance.cli.values import PATH
from conformance.fleet.commands.audit_options import AuditOptions, targets_of, variables_of
from conformance.model.text import count
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from conformance.fleet.audit.cluster import Cluster
    from conformance.fleet.audit.folders import AuditFolder, Left
    from conformance.fleet.audit.one_run import Job, Stop
    from conformance.fleet.audit.result import Result
    from conformance.fleet.audit.targets import AuditTarget
    from conformance.fleet.store.store import Store


_STATE: Final = "No service was contacted."


@click.command(
    "audit",
    short_help="Check many services, each in a process of its own, and compare with the last audit.",
    epilog="Exit codes: the worst of all runs, in the order 4, 1, 3, 2, 0. A service that cannot be reached counts as "
    "3. An audit that was interrupted ends with 3, and the same command continues it.",
)
@click.argument("targets", type=PATH, metavar="TARGETS")
@with_options(AuditOptions)
@click.pass_context
def command(context: click.Context, /, *, targets: Path, **given: Any) -> int:
    """Check each service that the file TARGETS names, and keep the runs in a folder for this audit below --output.

    TARGETS is a TOML file with tables [[target]], or a CSV file with a head. The same command continues an audit that
    was interrupted or killed, without the runs that are finished; after a finished audit it begins the next one, and
    compares the two.
    """
    from conformance.fleet.audit import folders
    from conformance.fleet.commands.audit_results import concluded, notified, stored
    from conformance.fleet.commands.audit_table import print_changes, print_results

    options = AuditOptions(**given)
    chosen = targets_of(targets, rate=options.rate, anonymous=options.anonymous, tokens_are_here=options.dask is None)
    interruption = context.ensure_object(Interruption)
    with _opened(options.store) as store, writing("--output", _STATE), folders.claimed(options.output) as free:
        if not free:
            raise Failure(
                f"Another audit is in progress in {options.output}.",
                remedy="Wait until it ends, or name another folder with --output.",
            )
        place, left = targets.resolve().parent, _left(targets, chosen, options)
        with _machines(options, place) as machines:
            if not machines.threads:
                click.echo("The cluster has no workers yet. The runs wait for them.", err=True)
            folder = _folder(options.output, new=options.new)
            results = _results(chosen, left, folder, place, machines, interruption, options)
            fault = machines.fault
        if interruption.received or fault:
            return _interrupted(fault or "Interrupted:", results, chosen)
        finished = datetime.now(UTC)
        if store is not None:
            stored(store, folder, chosen, results, finished)
        audit = concluded(options.output, folder, results, finished)
    print_changes(audit) if options.changed_only else print_results(audit)
    click.echo(f"\n{folder.document}")
    code = audit.exit_code
    command_of_user = options.notify_command
    if command_of_user and audit.regressions and not notified(command_of_user, audit, variables_of(chosen)):
        from conformance.reports.exit_code import worst

        code = worst([code, Exit.USAGE])
    return code


def _opened(name: str | None) -> AbstractContextManager[Store | None]:
    """Open the store of --store, which is made if there is none."""
    if name is None:
        return nullcontext()
    from conformance.fleet.store.store import Store

    return Store.open(name, create=True)


def _folder(output: Path, *, new: bool | None) -> AuditFolder:
    """Return the folder of the unfinished audit, or of a new one; raise Failure if it may come from others."""
    from conformance.fleet.audit import folders

    last = folders.unfinished(output)
    if last is not None and not new:
        if new is None and not folders.is_own(output, last):
            raise Failure(
                f"The unfinished audit {last.path} is not known to be yours: nothing shows that you began it on this "
                "machine, so its results may be anyone's.",
                remedy="If you know it, continue it with --continue. Or begin another one with --new, and remove it.",
                state=_STATE,
            )
        click.echo(f"Continuing the audit {last.id}. --new begins another one.", err=True)
        return last
    return folders.new(output, datetime.now(UTC))


def _left(path: Path, chosen: list[AuditTarget], options: AuditOptions) -> list[Left]:
    """Return what earlier runs left; say where no target goes on with what was left on purpose.

    Raises Failure for a run that may come from others, as its journal names what is deleted.
    """
    from conformance.cli.cleanup import cleanup_words
    from conformance.fleet.audit.folders import left_in

    left = list(left_in(options.output))
    for each in (each for each in left if each.is_meant):
        if not any(map(each.is_for, chosen)):
            click.echo(
                f"Warning: {each.name} left a data request at {each.base_url} on purpose, and {path} has no such "
                f"target any more. {cleanup_words(each.journal)}",
                err=True,
            )
        elif not each.is_own and options.new is not False:
            raise Failure(
                f"{each.journal} names a data request that was left on purpose, and nothing shows that you made this "
                "run on this machine, so it may name anyone's.",
                remedy="If you know it, let the next run judge and delete it with --continue. Or remove its folder.",
                state=_STATE,
            )
    return left


class _ThisMachine:
    """Makes the runs here, as `Cluster` does on the machines of a cluster."""

    fault = ""
    threads = 4 * (os.cpu_count() or 1)

    def run(self, job: Job, stop: Stop) -> Result:
        from conformance.fleet.audit.one_run import run_target

        return run_target(job, stop)


def _machines(options: AuditOptions, place: Path) -> AbstractContextManager[_ThisMachine | Cluster]:
    """Return the context of what makes the runs; `place` is the folder of the targets file."""
    if options.dask is None:
        return nullcontext(_ThisMachine())
    from conformance.fleet.audit.cluster import connected
    from conformance.fleet.audit.folders import LOCK

    return connected(options.dask, options.output / LOCK, place)


def _results(
    chosen: list[AuditTarget],
    left: list[Left],
    folder: AuditFolder,
    place: Path,
    machines: _ThisMachine | Cluster,
    interruption: Interruption,
    options: AuditOptions,
) -> list[Result]:
    """Make the runs that are not finished, and return all results, in the order of the file."""
    from conformance.fleet.audit.one_run import Job, without_report
    from conformance.fleet.audit.result import State
    from conformance.fleet.audit.schedule import results
    from conformance.fleet.commands.audit_table import Progress

    known = {each.name: found for each in chosen if (found := folder.finished(each))}
    withheld = variables_of(chosen)
    leaving = [each for each in chosen if each.leaves]
    earlier = [each for each in left if folder.path.resolve() not in each.journal.parents]
    unclear = {each.base_url for each in earlier if not any(map(each.is_for, leaving))}
    jobs = [
        Job(
            target=each,
            work=folder.work(each.name).resolve(),
            final=folder.run(each.name).resolve(),
            place=place,
            deadline=options.deadline,
            withheld=withheld,
            is_unclear=each.base_url in unclear,
            left=tuple(one.journal.parent for one in left if one.is_for(each)),
        )
        for each in chosen
        if each.name not in known
    ]
    unreachable = [without_report(job, State.UNREACHABLE, why) for job in jobs if (why := job.target.unreachable)]
    workers = options.workers or machines.threads or 1
    progress = Progress(len(chosen), len(known))
    with ThreadPoolExecutor(workers) as executor:  # each thread waits for the end of a run
        interruption.stop = progress.interrupted
        interruption.last_words = lambda: f"{_STOPPED} To continue: {_again()}\n"
        for found in unreachable:
            progress.done(found, again=False)
        made = results(
            [job for job in jobs if not job.target.unreachable],
            machines.run,
            executor,
            lambda: interruption.received or bool(machines.fault),
            progress,
        )
    ended = known | {each.name: each for each in [*unreachable, *made]}
    return [ended[each.name] for each in chosen if each.name in ended]


_STOPPED: Final = (
    "\nStopped at once. The runs that were in progress are still deleting what they created; the next audit waits for "
    "them, and deletes what they leave."
)


def _again() -> str:
    return shlex.join([NAME, *sys.argv[1:]])


def _interrupted(why: str, results: list[Result], chosen: list[AuditTarget]) -> int:
    """Say what an unfinished audit has done, and how to continue it."""
    done = sum(each.is_finished for each in results)
    left = sum(each.left_behind for each in results)
    remains = f" {count(left, 'data request')} may be left behind; the next audit deletes them." if left else ""
    click.echo(f"{why} {done:,} of {count(len(chosen), 'run')} finished.{remains} To continue: {_again()}", err=True)
    return Exit.INCONCLUSIVE
