"""`drsi-conformance waive` writes a file of waivers for the failures of a run, and `check` reads the completed file.

A waiver names a known failure of a service that its owner accepts until a date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from conformance import NAME
from conformance.cli.config import content_of, is_found, parsed
from conformance.cli.errors import existing, writing
from conformance.cli.recorded import read_report
from conformance.cli.trusted import Subject
from conformance.cli.values import PATH
from conformance.model.printable import one_line, printable
from conformance.model.requirements import UnknownRequirement, catalogue
from conformance.model.text import count
from conformance.model.verdict import Level

if TYPE_CHECKING:
    from conformance.model.report import Report
    from conformance.model.results import Waiver

FILE_NAME: Final = "drsi-conformance-waivers.toml"
DAYS = 90
"""How long the proposed waivers last."""


@click.command("waive", short_help="Write a file of waivers for the failures of a recorded run.")
@click.argument("run", type=PATH, metavar="RUN")
@click.option(
    "--output",
    type=PATH,
    default=FILE_NAME,
    show_default=True,
    metavar="FILE",
    help="File to write. An existing file is never overwritten.",
)
def command(run: Path, output: Path) -> None:
    """Write waivers for every failure of a recorded run. RUN is its folder, its report.json, or a bundle.

    Reason and owner are empty: check refuses the file until they are filled in. If a waiver in force already covers a
    failure, it is copied.
    """
    from conformance.reports.failures import failures

    report = read_report(run)
    found = failures(report)
    if not found:
        click.echo(f"{run} has no failures: there is nothing to waive, and no file was written.")
        return
    expires = datetime.now(UTC).date() + timedelta(days=DAYS)
    with writing("--output"):
        try:
            with output.open("x", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in _lines(report, expires))
        except FileExistsError:
            raise existing(output) from None
    click.echo(f"{output}: {count(len(found), 'failure')}. Fill in each empty reason and owner, and correct the dates.")
    trust = f", or trust it in its folder: {NAME} trust" if output.name == FILE_NAME else "."
    click.echo(f"A run reads it if you name it with --waivers{trust}")


def _lines(report: Report, expires: date) -> Iterator[str]:
    """Yield the lines of the file. Only comments quote the service, and without characters that could end them."""
    from conformance.model.results import Waiver
    from conformance.reports.failures import failures, waivers_of

    yield f"# Known failures of {one_line(report.target.base_url, 300)}, found on {report.started[:10]}."
    yield "# A waiver is in force up to and including the day `expires`."
    yield "# With `finding`, a regular expression, it covers only findings in whose message the expression is found."
    for row, findings in failures(report):
        blank = Waiver(requirement=row.id, reason="", owner="", expires=expires.isoformat())
        for waiver in [*waivers_of(report, row), *([] if row.waived else [blank])]:
            yield ""
            yield from (f"# {one_line(finding.message, 300)}" for finding in findings)
            yield "[[waiver]]"
            yield f"requirement = {_quoted(waiver.requirement)}"
            yield f"reason = {_quoted(waiver.reason)}"
            yield f"owner = {_quoted(waiver.owner)}"
            yield f"expires = {waiver.expires}"
            if waiver.finding:
                yield f"finding = {_quoted(waiver.finding)}"


def _quoted(text: str) -> str:
    """Return a basic string of TOML; JSON writes the same escapes."""
    return json.dumps(printable(text, keep="\n\t"), ensure_ascii=False)


def load(path: Path | None, *, embedded: bool = False) -> tuple[Waiver, ...]:
    """Return the waivers of the file `path`; raise UsageError if it is not one.

    Without `path` the file of the working directory is read, if there is one and the user trusts it. It describes a
    service, so a run of the `embedded` reference service leaves it aside.
    """
    if path is not None:
        return read(path)[1]
    path = Path(FILE_NAME)
    if embedded or not is_found(path):
        return ()
    content, waivers = read(path)
    if waivers:
        subject(path, content, waivers).demand()
    return waivers


def subject(path: Path, content: bytes, waivers: tuple[Waiver, ...]) -> Subject:
    """Return what a file of waivers decides."""
    lines = [f"{each.requirement} until {each.expires}: {each.reason}" for each in waivers]
    return Subject({path: content}, "--waivers", "accepts failures", lines)


def read(path: Path) -> tuple[bytes, tuple[Waiver, ...]]:
    """Return the bytes and the waivers of the file `path`; raise UsageError if it is not one."""
    content = content_of(path, "--waivers")
    document = parsed(path, content)
    entries = document.pop("waiver", [])
    if document or not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        found = ", ".join(map(repr, document)) or "waiver in another form"
        raise click.UsageError(f"{path}: expected only tables [[waiver]], found {found}.")
    return content, tuple(_waiver(f"{path}: waiver {number}", entry) for number, entry in enumerate(entries, 1))


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table [[waiver]] of a file."""

    requirement: str
    reason: str
    owner: str
    expires: date
    finding: str = ""


def _waiver(place: str, entry: dict[str, Any]) -> Waiver:
    from conformance.model.results import Waiver

    try:
        given = msgspec.convert(entry, _Entry)
        row = catalogue()[given.requirement]
        re.compile(given.finding)
    except re.error as error:
        raise click.UsageError(f"{place}: finding is no regular expression: {error}.") from None
    except (ValueError, UnknownRequirement, RecursionError, OverflowError) as error:
        raise click.UsageError(f"{place}: {error}") from None
    place = f"{place} ({row.id})"
    if row.untestable or (row.level is Level.OPEN and not row.alert):
        raise click.UsageError(f"{place}: no run fails this requirement. Remove the waiver.")
    reason, owner = given.reason.strip(), given.owner.strip()
    if not reason or not owner:
        raise click.UsageError(f"{place}: fill in the reason why the failure is accepted, and the owner.")
    return Waiver(
        requirement=row.id, reason=reason, owner=owner, expires=given.expires.isoformat(), finding=given.finding
    )
