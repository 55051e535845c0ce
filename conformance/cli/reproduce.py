"""`drsi-conformance reproduce`: the reproduction scripts of a run."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from conformance import NAME
from conformance.cli.errors import Failure, writing
from conformance.cli.local_services import application
from conformance.cli.options import Options
from conformance.cli.recorded import read
from conformance.cli.values import PATH, Parsed, application_name, refuse_two
from conformance.model.printable import printable
from conformance.model.text import count
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from conformance.model.exchange import Exchange
    from conformance.model.report import Report


class _Found(NamedTuple):
    """A finding: its requirement, the file name for its script, the script if any, and the line that checks it."""

    requirement: str
    name: str
    script: str | None
    command: str


@click.command("reproduce", short_help="Write scripts that show a run's findings again.")
@click.argument("run", type=PATH, metavar="RUN")
@click.argument("requirement", metavar="[ID]", default="")
@click.option(
    "--output",
    type=PATH,
    metavar="DIR",
    help="Write the scripts into this folder instead of printing one.",
)
@click.option("--all", "run_all", is_flag=True, help="Run the scripts, and print what persists.")
@click.option(
    "--base-url",
    type=Parsed(lambda values, text: values.checked_base_url(text)),
    metavar="URL",
    help="With --all, the address of the service; the recorded one is taken only if it is of this machine.",
)
@click.option(
    "--app",
    type=Parsed(lambda _, text: application_name(text)),
    metavar="MODULE:APP",
    help="With --all, serve this ASGI or WSGI application for the scripts, as 'check --app' does.",
)
def command(
    run: Path, requirement: str, output: Path | None, run_all: bool, base_url: str | None, app: str | None
) -> None:
    """Print the script that shows the finding of requirement ID again; without ID, list the findings of RUN.

    RUN is the folder of a run, its report.json with evidence.har beside it, or a bundle. A script needs Python 3.9 and
    nothing else, and takes tokens from DRSI_TOKEN and DRSI_OTHER_TOKEN, which it sends to the address that is its
    argument; without one, only to a service of this machine. Its exit code is 1 if the deviation persists,
    0 if it was not shown, and 2 if it could not be tested. If no script can decide a finding, the command prints the
    check command that tests it again.

    With --all the command runs each script against the service and prints STILL FAILS, NOT SHOWN or NOT TESTED for
    each finding. Its exit code is 1 if a deviation persists, 0 if none was shown, and 3 if something was not tested.
    NOT SHOWN does not mean that it is corrected: chance or earlier calls may decide it. The line names the 'check' that
    tells.
    """
    refuse_two({"--base-url": base_url, "--app": app})
    if base_url is not None and not run_all:
        raise click.UsageError("--base-url needs --all: a script takes the address as its argument.")
    if app is not None and not run_all:
        raise click.UsageError("--app needs --all. For a single script, 'drsi-conformance serve --app' serves it.")
    if run_all and output is not None:
        raise click.UsageError("--all runs the scripts, and --output writes them: give one of the two.")
    recorded = read(run, needs_evidence=True)
    found = list(_found(recorded.report, recorded.exchanges, requirement))
    if not found:
        raise _nothing(recorded.report, requirement)
    if run_all:
        with application(Options(app=app, base_url=base_url)) as (served, _process):
            code = _run_all(found, served.base_url or _address(recorded.report))
        click.get_current_context().exit(code)
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
    from conformance.reports.again import command
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
            yield _Found(row.id, name, script, command(report, row.id))


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
        path = output / f"{Path(each.name).name}.py"
        with writing("--output"):
            output.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)  # a link of others may lead to any file
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(each.script)
            path.chmod(0o755)
        click.echo(printable(str(path)))


_STATES: Final = {0: "NOT SHOWN", 1: "STILL FAILS"}
"""What the exit code of a script says."""

_NOT_TESTED: Final = "NOT TESTED"


def _address(report: Report) -> str:
    """Return the recorded address; raise Failure for one of another machine, because tokens are sent there.

    Raises Failure too where nothing listens, because the run served the application itself: only the user says which
    code is executed.
    """
    from conformance.model.errors import ConfigurationFault
    from conformance.model.option_values import checked_base_url
    from conformance.model.target import Target
    from conformance.reports import again

    try:
        address = checked_base_url(report.target.base_url)
    except ConfigurationFault as fault:
        raise Failure(f"The report names no service: {fault}", remedy="Name the service with --base-url.") from None
    options = report.run.options
    if start := again.to_start(options, address):
        app = options["app"] if options["app"] not in (again.OF_TESTS, again.REFERENCE) else "MODULE:APP"
        raise Failure(
            "The run served what it checked for its own time, so nothing answers the scripts now.",
            remedy=f"Add --app {shlex.quote(app)} for your application. Or {again.BEFORE.lower()}: {start}. Then add "
            f"--base-url {shlex.quote(address)}.",
        )
    if not Target(base_url=address).is_loopback:
        raise Failure(
            f"The scripts send your tokens to the address in the report, {report.target.base_url}, which is not of "
            "this machine.",
            remedy=f"If it is the right one, confirm it with --base-url {shlex.quote(report.target.base_url)}.",
        )
    return address


def _run_all(found: list[_Found], address: str) -> Exit:
    """Run the scripts one after another, and print a line for each finding, then how many there are of each kind."""
    states = Counter[str]()
    width = max(len(each.name) for each in found)
    for each in found:
        state, reason = _state_of(each, address)
        states[state] += 1
        line = f"{state:<11}  {each.name:<{width}}  {reason}".rstrip()
        click.echo(printable(line))
    click.echo(", ".join(count(number, "finding") + f" {state}" for state, number in sorted(states.items())))
    if states[_STATES[1]]:
        return Exit.DOES_NOT_CONFORM
    return Exit.INCONCLUSIVE if states[_NOT_TESTED] else Exit.CONFORMS


def _state_of(found: _Found, address: str) -> tuple[str, str]:
    """Return what the script of a finding says now, the reason or what decides it, and what it left behind."""
    if found.script is None:
        return _NOT_TESTED, f"no script can decide it; run: {found.command}"
    # In a folder: Windows lets no second process open a file that is deleted when it is closed.
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
        file = Path(folder) / "script.py"
        file.write_text(found.script, "utf-8", newline="\n")
        # The suite made this script, in which all that a report says is data; users run it so, too.
        words = [sys.executable, "-I", str(file), address]
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=errors)  # noqa: S603
        try:
            code = child.wait()
        except KeyboardInterrupt:
            child.wait()  # Ctrl-C reached the script too: it deletes what it created
            raise
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines()
    left = [each for each in said if "eft behind: " in each]
    if code in _STATES:
        decided_by = [] if code else [f"this decides it: {found.command}"]
        return _STATES[code], " ".join([*decided_by, *left])
    why = [each for each in said if each not in left]
    return _NOT_TESTED, " ".join([*(why[-1:] or [f"the script ended with {code}"]), *left])
