"""`selftest --command`: the score of the user's own tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.errors import Failure, writing
from conformance.cli.progress import counted
from conformance.http.own_folder import write
from conformance.model.printable import printable
from conformance.model.text import count
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from conformance.calibration.own_tests import Attempt, Runner
    from conformance.calibration.run_one import Job

PAGE = "own-tests.html"

_ALONE = (
    "The command gets the address of each service as DRSI_BASE_URL, and two tokens as DRSI_TOKEN and DRSI_OTHER_TOKEN; "
    "{base_url}, {token} and {other_token} in its words are replaced. No shell reads it: for pipes and variables use a "
    "script, or sh -c '…'."
)


def measure(
    command: str, jobs: Sequence[Job], timeout: float, workers: int, output: Path | None, *, quiet: bool
) -> int:
    """Run the command against each service, write the page and the data, print the numbers; return the exit code."""
    from conformance.calibration.own_tests import FILE, CommandFault, OtherResults, Runner, document, earlier, page_of

    directory = output or Path("reports") / f"own-tests-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    try:
        runner = Runner(command, timeout)
        _demand_sense(runner)
        with writing("--output"):
            directory.mkdir(parents=True, exist_ok=True)
            attempts = earlier(directory, command)
            known = {each.name for each in attempts}
            left = [job for job in jobs if job.name not in known]
            try:
                with counted(len(left), "Trying services", quiet=quiet) as advance:
                    for attempt in runner.attempts(left, min(workers, len(left) or 1)):
                        attempts.append(attempt)
                        write(directory / FILE, document(command, attempts))
                        advance()
            except KeyboardInterrupt:
                again = "The same command with the same --output goes on."
                click.echo(f"Interrupted after {count(len(attempts), 'service')}. {again}", err=True)
            (directory / PAGE).write_text(page_of(command, attempts), "utf-8")
    except CommandFault as fault:
        raise Failure(f"--command: {fault}", remedy=_ALONE) from None
    except OtherResults as fault:
        raise Failure(f"--output: {fault}", remedy="Name another folder.") from None
    _print(attempts, [directory / PAGE, directory / FILE])
    return Exit.CONFORMS if {each.name for each in attempts}.issuperset(job.name for job in jobs) else Exit.INCONCLUSIVE


def _demand_sense(runner: Runner) -> None:
    """Raise Failure for a command that refuses the reference service, or takes too long: it measures nothing."""
    from conformance.calibration.run_one import REFERENCE_JOB

    found = runner.attempt(REFERENCE_JOB)
    if not found.accepts:
        how = "did not end in time" if found.code is None else f"ended with exit code {found.code}"
        raise Failure(
            f"--command: the command {how} against the reference service, which conforms: its result would be no "
            f"sign of a mistake. It printed last:\n{printable(found.output, keep=chr(10)).rstrip()}",
            remedy="Let the command succeed there first. 'drsi-conformance serve' runs the service. " + _ALONE,
        )


def _print(attempts: Sequence[Attempt], files: Sequence[Path]) -> None:
    from conformance.calibration.own_tests import Tally, by_clause

    click.echo(f"{'Clause':<36}  {'Mistakes caught':>16}  {'Conforming refused':>18}")
    for row in (*by_clause(attempts), Tally("Total", attempts)):
        click.echo(f"{row.name:<36}  {row.caught():>16}  {row.refusals():>18}")
    click.echo("".join(f"\n  {each}" for each in files))
