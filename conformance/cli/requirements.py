"""`drsi-conformance requirements`: the catalogue."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli import specification as of_reader
from conformance.cli.errors import writing
from conformance.cli.values import PATH, requirement_set
from conformance.model.history import history_of
from conformance.model.requirements import UnknownRequirement, catalogue
from conformance.model.sets import scored

if TYPE_CHECKING:
    from conformance.reports.annotated import Proof, Service


@click.command("requirements", short_help="List the requirements with their levels and bases.")
@click.option("--clause", metavar="CLAUSE", help="Only the requirements of this clause and the clauses below it.")
@click.option(
    "--set",
    "of_set",
    callback=requirement_set,
    metavar="NAME",
    help="Mark what this set does not score.  [default: the newest]",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON, with places, reasons, interpretations, remedies, and what each requirement said before.",
)
@of_reader.option
@click.option(
    "--output",
    type=PATH,
    metavar="FILE",
    help="With --specification: write your copy of the specification into this file, as HTML, with the requirements, "
    "checks, faulty and conforming services that belong to each sentence.",
)
def command(clause: str | None, of_set: str, *, as_json: bool, specification: Path | None, output: Path | None) -> None:
    """List every requirement with its level, its basis and its statement in the words of the suite.

    The basis is stated (a place of the specification says it), inferred (it follows from places, by a reason), or
    advice (no place says it). What the set does not score is marked as unscored.
    """
    every = catalogue()
    if specification is not None or output is not None:
        if clause or as_json:
            raise click.UsageError("--output writes the whole of your copy: leave out --clause and --json.")
        _write_proof(specification, output)
        return
    try:
        chosen = every.select(clause) if clause else every.rows.keys()
    except UnknownRequirement as error:
        raise click.UsageError(str(error)) from None
    rows = [row for row in every.rows.values() if row.id in chosen]
    counted = scored(of_set)
    if as_json:
        listed = [
            {"clause": row.clause, **asdict(row), **asdict(history_of(row.id)), "scored": row.id in counted}
            for row in rows
        ]
        click.echo(json.dumps(listed, indent=2, ensure_ascii=False))
        return
    id_width = max(len(row.id) for row in rows)
    for row in rows:
        unscored = "" if row.id in counted else "(unscored) "
        click.echo(f"{row.id:<{id_width}}  {row.level:<6}  {row.basis:<8}  {unscored}{row.statement}")


def _write_proof(specification: Path | None, output: Path | None) -> None:
    """Write the reader's copy of the specification with what the suite has for each sentence."""
    if specification is None or output is None:
        raise click.UsageError("--specification FILE and --output FILE belong together: add the other one.")
    copy = of_reader.read(specification, catalogue().edition.digest)
    if copy is None:
        raise click.UsageError("No page was written, because the copy is another edition of the specification.")
    from conformance.reports.annotated import render_proof

    with writing("--output"):
        output.write_text(render_proof(copy, *proofs_of_requirements()), "utf-8")
    click.echo(output)


def proofs_of_requirements() -> tuple[dict[str, Proof], list[Service]]:
    """Return the checks and faults of each requirement, by its id, and the conforming services of the self-test."""
    from conformance.calibration.faults import FAULTS
    from conformance.calibration.twins import TWINS
    from conformance.reports.annotated import Proof, Service
    from conformance.run.all_checks import all_checks
    from conformance.run.items import check_name, requirement_of

    checks = [(requirement_of(each).id, check_name(each)) for each in all_checks()]
    proofs = {
        id: Proof(
            tuple(name for tested, name in checks if tested == id),
            {each.name: " ".join(each.summary.split()) for each in FAULTS.values() if each.requirement == id},
        )
        for id in catalogue().rows
    }
    return proofs, [Service(each.name, " ".join(each.summary.split()), each.clause) for each in TWINS.values()]
