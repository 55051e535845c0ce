"""`drsi-conformance profile`: what a service chose in every matter that the specification leaves open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.errors import writing
from conformance.cli.recorded import read
from conformance.cli.values import PATH

if TYPE_CHECKING:
    from conformance.reports.profile import Profile


@click.command("profile", short_help="Show what a service chose in each open matter.")
@click.argument("run", type=PATH, metavar="RUN")
@click.argument("other", type=PATH, metavar="[OTHER]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the profile as JSON.")
@click.option("--output", type=PATH, metavar="PAGE.html", help="Page to write, in place of the text.")
def command(run: Path, other: Path | None, *, as_json: bool, output: Path | None) -> None:
    """Show what the service of RUN chose in every matter that the specification leaves open.

    A choice that breaks known clients or libraries names them. With OTHER, the run of another service, it shows the
    matters in which the two did not choose alike. A run is a folder, its report.json, or a bundle.
    """
    if as_json and output:
        raise click.UsageError("--json prints, and --output writes a page. Give one of them.")
    from conformance.reports import profile_views as views
    from conformance.reports.profile import differences

    first, *others = map(_profile, filter(None, [run, other]))
    second = others[0] if others else None
    differing = list(differences(first, second)) if second else []
    if output:
        with writing("--output"):
            output.write_text(views.html(first, second, differing), "utf-8")
        click.echo(output)
    elif as_json:
        click.echo(views.json_of_differences(first, second, differing) if second else views.json(first))
    elif second and not differing:
        click.echo("In no matter that both runs saw did the services choose otherwise.")
    else:
        click.echo(views.text_of_differences(first, second, differing) if second else views.text(first))


def _profile(run: Path) -> Profile:
    """Return the profile by the run at a path; raise AlteredRun for a run that was altered."""
    from conformance.reports.profile import profile

    recorded = read(run)
    recorded.demand_unaltered(run)
    return profile(recorded.report)
