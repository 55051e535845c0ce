"""`drsi-conformance reproduce`: the reproduction scripts of a run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from conformance import NAME
from conformance.cli.errors import Failure, writing
from conformance.cli.recorded import read
from conformance.cli.values import PATH
from conformance.model.text import printable

if TYPE_CHECKING:
    from conformance.model.exchange import Exchange
    from conformance.model.report import Report


class _Found(NamedTuple):
    """A finding: its requirement, the file name for its script, the script if any, and the line that checks it."""

    requirement: str
    name: str
    script: str | None
    command: str


@click.command("reproduce", short_help="Write shell scripts that show a run's findings again.")
@click.argument("run", type=PATH, metavar="RUN")
@click.argument("requirement", metavar="[ID]", default="")
@click.option(
    "--output",
    type=PATH,
    metavar="DIR",
    help="Write the scripts into this folder instead of printing one.",
)
def command(run: Path, requirement: str, output: Path | None) -> None:
    """Print the script that shows the finding of requirement ID again; without ID, list the findings of RUN.

    RUN is the folder of a run, its report.json with evidence.har beside it, or a bundle. A script needs sh and curl,
    and takes tokens from DRSI_TOKEN and DRSI_OTHER_TOKEN. Its exit code is 1 if the deviation persists, 0 if it was not
    shown, and 2 if it could not be tested. If no script can decide a finding, the command prints the check command that
    tests it again.
    """
    recorded = read(run, needs_evidence=True)
    found = list(_found(recorded.report, recorded.exchanges, requirement))
    if not found:
        raise _nothing(recorded.report, requirement)
    if output is not None:
        _write(found, output)
    elif not requirement:
        for each in found:
            click.echo(printable(f"{each.name}  {'script' if each.script else each.command}"))
        if first := next((each for each in found if each.script), None):
            click.echo(printable(f"Print one: {shlex.join([NAME, 'reproduce', str(run), first.requirement])}"))
    elif found[0].script is None:
        raise Failure(f"No script can reproduce {requirement}.", remedy=f"Run: {found[0].command}")
    else:
        click.echo(found[0].script, nl=False)
        if len(found) > 1:
            click.echo(f"{requirement} has {len(found)} findings; --output writes a script for each.", err=True)


def _found(report: Report, exchanges: list[Exchange], requirement: str) -> Iterator[_Found]:
    from conformance.reports.scripts import reproduction
    from conformance.reports.scripts.calls import Recorded

    recorded = Recorded(exchanges)
    for row in report.requirements:
        if requirement not in ("", row.id):
            continue
        findings = [each for each in row.findings if each.verdict in ("fail", "warn")]
        for number, finding in enumerate(findings, start=1):
            name = row.id if number == 1 else f"{row.id}-{number}"
            script = reproduction.script(report, recorded, row, finding)
            yield _Found(row.id, name, script, reproduction.command(report, row.id))


def _nothing(report: Report, requirement: str) -> Failure:
    if not requirement:
        return Failure("The run found no failure and no warning, so there is nothing to reproduce.")
    verdicts = {row.id: row.verdict for row in report.requirements}
    if requirement in verdicts:
        return Failure(f"The run found no deviation from {requirement}: its verdict is {verdicts[requirement]}.")
    return Failure(
        f"The report has no requirement {requirement!r}.", remedy="'drsi-conformance requirements' lists all of them."
    )


def _write(found: list[_Found], output: Path) -> None:
    for each in found:
        if each.script is None:
            click.echo(printable(f"{each.name}: no script; run {each.command}"))
            continue
        # An id of the catalogue is a plain file name, but the report may come from anywhere.
        path = output / f"{Path(each.name).name}.sh"
        with writing("--output"):
            output.mkdir(parents=True, exist_ok=True)
            path.write_text(each.script, "utf-8")
            path.chmod(0o755)
        click.echo(printable(str(path)))
