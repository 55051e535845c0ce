"""`drsi-conformance compare`: what changed between two recorded runs."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.errors import writing
from conformance.cli.recorded import read_report
from conformance.cli.values import PATH
from conformance.model.verdict import Exit


@click.command(
    "compare",
    short_help="Show what changed between two recorded runs.",
    epilog="Exit codes: 0 nothing got worse, 1 something got worse or an anonymous run was answered differently, "
    "2 a run cannot be read.",
)
@click.argument("before", type=PATH, metavar="A")
@click.argument("after", type=PATH, metavar="B")
@click.option(
    "--format",
    type=click.Choice(["text", "markdown", "json", "html"]),
    default="text",
    show_default=True,
    help="Format of the comparison.",
)
@click.option("--output", type=PATH, metavar="FILE", help="File to write the comparison to, instead of printing it.")
def command(before: Path, after: Path, format: str, output: Path | None) -> int:
    """Compare the run A with the later run B: each a folder, its report.json, or a bundle.

    A requirement got worse if its verdict moved towards the end of the order pass, inconclusive, warn, fail, or if it
    raises a new alert. If only one of the runs is anonymous, an alert names the requirements for which the service
    behaved differently in the two runs.
    """
    from conformance.reports import comparison, comparison_views

    found = comparison.compare(read_report(before), read_report(after))
    text = comparison_views.VIEWS[format](found)
    if output is None:
        click.echo(text, nl=False)
    else:
        with writing("--output"):
            output.write_text(text, "utf-8")
        said = filter(None, [comparison_views.alert(found), comparison_views.verdict(found)])
        click.echo(f"{output}: {'. '.join(said)}")
    return Exit.DOES_NOT_CONFORM if found.alert or found.of_kind(comparison.WORSE) else Exit.CONFORMS
