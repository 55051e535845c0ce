"""`drsi-conformance render`: further formats of a recorded run, without the service."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli import specification as of_reader
from conformance.cli.errors import writing
from conformance.cli.recorded import is_bundle, read
from conformance.cli.values import PATH, formats_of_a_record, language_codes


@click.command("render", short_help="Write a recorded run in other formats.")
@click.argument("run", type=PATH, metavar="RUN")
@click.option(
    "--format",
    multiple=True,
    callback=formats_of_a_record,
    metavar="FORMAT",
    help="Formats to write, comma-separated. The format specification is your copy of the specification "
    "(--specification) with notes on each sentence.  [default: html,summary,junit]",
)
@click.option(
    "--language",
    multiple=True,
    callback=language_codes,
    metavar="CODE",
    help="Languages of the format summary, comma-separated: de, en, fr, nl. A translation has a file of its own, "
    "such as summary.nl.html.  [default: en]",
)
@of_reader.option
@click.option("--output", type=PATH, metavar="DIR", help="Folder to write to.  [default: the folder of the run]")
def command(
    run: Path, *, format: tuple[str, ...], language: tuple[str, ...], specification: Path | None, output: Path | None
) -> None:
    """Write a recorded run in other formats. RUN is its folder, its report.json, or a bundle."""
    from conformance.reports import files

    kinds = tuple(dict.fromkeys(files.translated(each, code) for code in language for each in format))
    if kinds == format and language != ("en",):
        raise click.UsageError(
            f"--language {','.join(language)} translates the format summary, which --format does not name."
        )
    if output is None and is_bundle(run):
        raise click.UsageError(f"{run} is a bundle, and stays as it is. Name the folder to write to with --output.")
    recorded = read(run)
    copy = of_reader.read(specification, recorded.report.suite.edition)
    if copy is None and not files.ANNOTATED.keys().isdisjoint(kinds):
        raise click.UsageError(
            "--format specification writes your copy of the specification, of the edition of the run, with notes. "
            "Name it with --specification FILE."
        )
    with writing("--output"):
        paths = files.write_views(output or recorded.folder, recorded.data, recorded.evidence, kinds, copy)
    for path in paths:
        click.echo(path)
