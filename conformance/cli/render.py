"""`drsi-conformance render`: further formats of a recorded run, without the service."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.errors import writing
from conformance.cli.options import PATH, formats
from conformance.cli.recorded import read


@click.command("render", short_help="Write a recorded run in other formats.")
@click.argument("run", type=PATH, metavar="RUN")
@click.option(
    "--format",
    multiple=True,
    callback=formats,
    metavar="FORMAT",
    help="Formats to write, comma-separated.  [default: html,summary,junit]",
)
@click.option("--output", type=PATH, metavar="DIR", help="Folder to write to.  [default: the folder of the run]")
def command(run: Path, format: tuple[str, ...], output: Path | None) -> None:
    """Write a recorded run in other formats. RUN is the folder of the run, or its report.json."""
    from conformance.reports import files

    recorded = read(run)
    with writing("--output"):
        paths = files.write_views(output or recorded.folder, recorded.report, recorded.evidence, format)
    for path in paths:
        click.echo(path)
