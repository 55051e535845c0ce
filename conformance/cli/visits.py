"""`check --leave` and `check --resume`: a data request that one run leaves on purpose, and another goes on with.

The run that is named decides nothing but which request is read and deleted, at the BASE_URL and with the tokens of the
present run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from conformance.cli.errors import Failure

if TYPE_CHECKING:
    from conformance.cli.options import Options
    from conformance.http.creations.journal_file import Remains
    from conformance.http.session import Session
    from conformance.model.exchange import Exchange


UNUSABLE: Final = "--resume:"
"""How the message on a run begins that cannot be gone on with."""


@dataclass(frozen=True)
class EarlierRun:
    """A run that left a request on purpose."""

    folder: Path
    calls: Sequence[Exchange]
    """All calls about the request, its creation first."""
    left: str
    """The identifier of the request."""

    def settle(self, session: Session, *, complete: bool) -> None:
        """Write into the journals which of them answers for the request; none does once it is gone.

        A run that is not `complete` takes nothing over: its folder may be removed, and the run made again.
        """
        from conformance.facts.life import confirms
        from conformance.http.creations import owners
        from conformance.http.creations.journal import Journal
        from conformance.model.exchange import Operation

        stays = self.left == session.journal.left
        user = replace(session.target, other=None)
        if stays and not complete:
            return
        if stays:
            session.journal.leave(self.left, session.journal.live[self.left])
        deletions = (each for each in session.record.answered(Operation.DELETE) if each.request_id == self.left)
        is_deleted = any(map(confirms, deletions))
        for path, remains in _journals(self.folder):
            if self.left not in remains.live:
                continue
            with suppress(OSError):
                journal = Journal(path, live=dict(remains.live), first_seal=remains.first_seal)
                journal.seal = owners.sealing() if remains.first_seal else None
                if stays:
                    journal.hand_over(self.left)
                # What another account does not find may exist. The request is the first user's.
                elif is_deleted or owners.are_of({**remains.owners, "other user": ""}, user):
                    journal.was_deleted(self.left, confirmed=True)


def demand_visits(options: Options) -> None:
    """Raise UsageError where --leave or --resume is given and cannot have an effect."""
    name = "--leave" if options.leave else "--resume"
    if not options.leave and options.resume is None:
        return
    if options.base_url is None or options.app is not None:
        raise click.UsageError(f"{name} needs a BASE_URL: a service that runs only for the run keeps no data request.")
    if options.profile == "public":
        raise click.UsageError(f"{name} is for runs that create data requests. Leave it out with --profile public.")
    others = {"--repeat": options.repeat > 1, "--watch": options.watch is not None, "--plan": options.plan}
    if options.resume is not None:
        others |= {"--reset-command": options.resets, "--cleanup-first": options.cleanup_first}
    for other in (each for each, is_given in others.items() if is_given):
        raise click.UsageError(f"{name} and {other} exclude each other: leave one of them out, also of the file.")


def earlier_run(options: Options) -> EarlierRun | None:
    """Return the run of --resume; raise Failure if it left no request, or not at the service of this run."""
    if options.resume is None:
        return None
    from conformance.cli.recorded import read
    from conformance.run.verify import Unreadable, recorded_trace, verify
    from conformance.run.visits import calls_about_left_request

    path, address = options.resume, options.target().base_url
    try:
        recorded = read(path, needs_evidence=True)
    except Failure as failure:
        raise Failure(f"{UNUSABLE} {failure.message}", remedy=failure.remedy, exit_code=failure.code) from None
    if recorded.report.target.base_url != address:
        raise Failure(
            f"{UNUSABLE} {path} is a run against {recorded.report.target.base_url}, and BASE_URL is {address}.",
            remedy="Name the BASE_URL of that run.",
            state="Nothing was sent.",
        )
    output = options.output
    if output is not None and output.resolve() == (path if path.is_dir() else path.parent).resolve():
        raise click.UsageError(f"--output: {output} is the folder of the run of --resume. Name another one.")
    try:
        trace = recorded_trace(dict(recorded.data), recorded.evidence)
        found = verify(dict(recorded.data), recorded.evidence)
        if found.is_same_build and not found.is_equal:
            raise Unreadable("its verdicts are not those of its evidence")
    except Unreadable as error:
        raise Failure(
            f"{UNUSABLE} {path} cannot be gone on with: {error}.", remedy="Name the folder of a run with --leave."
        ) from None
    if not (calls := calls_about_left_request(trace)):
        raise Failure(
            f"{UNUSABLE} {path} left no data request at the service.",
            remedy="Name a run that was made with --leave; its report says whether a data request stays.",
            state="Nothing was sent.",
        )
    left = trace.conditions.left
    folder = path if path.is_dir() else path.parent
    if (journals := list(_journals(folder))) and not any(left in remains.live for _, remains in journals):
        raise Failure(
            f"{UNUSABLE} by the journal of {path}, its data request is deleted, or a later run goes on with it.",
            remedy="Name that later run, or leave a new data request with --leave.",
            state="Nothing was sent.",
        )
    if (last := max(each.started for each in calls)) > datetime.now(UTC):
        raise Failure(
            f"{UNUSABLE} {path} ended at {last:%Y-%m-%d %H:%M} UTC, and the clock of this machine is behind that.",
            remedy="Set the clock: what two visits show is in the order of their times.",
            state="Nothing was sent.",
        )
    return EarlierRun(folder, calls, left)


def _journals(folder: Path) -> Iterator[tuple[Path, Remains]]:
    """Yield the journals in the folder of a run that can be read."""
    from conformance.http.creations import journal_file, owners
    from conformance.model.errors import ConfigurationFault

    for path in folder.glob(journal_file.NAMES):
        with suppress(OSError, ConfigurationFault):
            if path.is_file() and not path.is_symlink():
                yield path, journal_file.read(path, owners.sealing())
