"""`drsi-conformance waive`: a file of waivers for the failures of a recorded run, to be completed by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from conformance.cli import waivers
from conformance.cli.errors import existing, writing
from conformance.cli.options import PATH
from conformance.cli.recorded import read_report
from conformance.model.text import count, one_line, printable

DAYS = 90
"""How long the proposed waivers last."""


@click.command("waive", short_help="Write a file of waivers for the failures of a recorded run.")
@click.argument("run", type=PATH, metavar="RUN")
@click.option(
    "--output",
    type=PATH,
    default=waivers.FILE_NAME,
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


def _lines(report: dict[str, Any], expires: date) -> Iterator[str]:
    """Yield the lines of the file. Only comments quote the service, and without characters that could end them."""
    from conformance.reports.failures import failures, waivers_of

    yield f"# Known failures of {one_line(report['target']['base_url'], 300)}, found on {report['started'][:10]}."
    yield "# A waiver is in force up to and including the day `expires`."
    yield "# With `finding`, a regular expression, it covers only findings in whose message the expression is found."
    for row, findings in failures(report):
        blank = {"requirement": row["id"], "reason": "", "owner": "", "expires": expires.isoformat(), "finding": ""}
        for waiver in [*waivers_of(report, row), *([] if row["waived"] else [blank])]:
            yield ""
            yield from (f"# {one_line(finding['message'], 300)}" for finding in findings)
            yield "[[waiver]]"
            yield f"requirement = {_quoted(waiver['requirement'])}"
            yield f"reason = {_quoted(waiver['reason'])}"
            yield f"owner = {_quoted(waiver['owner'])}"
            yield f"expires = {waiver['expires']}"
            if waiver["finding"]:
                yield f"finding = {_quoted(waiver['finding'])}"


def _quoted(text: str) -> str:
    """Return a basic string of TOML; JSON writes the same escapes."""
    return json.dumps(printable(text, keep="\n\t"), ensure_ascii=False)
