"""The plan of a run, from the options of `check`, and the calls that it would make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.errors import existing, explained, writing
from conformance.cli.options import Options
from conformance.cli.waive import load as load_waivers
from conformance.model.clauses import TITLES
from conformance.model.printable import as_json
from conformance.model.requirements import UnknownRequirement
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from conformance.run.plan import Plan
    from conformance.run.rehearsal import Rehearsal


def plan_of(options: Options) -> Plan:
    """Return the plan that the options describe; raise UsageError for a selection that leaves nothing."""
    from conformance.model.errors import ConfigurationFault
    from conformance.model.results import ALL_ALERTS
    from conformance.model.sets import chosen, scored
    from conformance.run.plan import Plan

    plan = Plan(
        profile=options.profile,
        set=chosen(options.set),
        select=options.select,
        deselect=options.deselect,
        only=options.only,
        strict=options.strict,
        fail_on=options.fail_on,
        waivers=load_waivers(options.waivers, embedded=options.base_url is None),
        options=options.recorded(),
        labels=({"authority": options.authority} if options.authority else {}) | dict(options.label),
        help_base=options.help_base or "",
        target_kind="service" if options.base_url else "embedded",
    )
    if idle := [each for each in options.fail_on if each != ALL_ALERTS and each not in scored(options.set)]:
        raise click.UsageError(
            f"--fail-on names {', '.join(idle)}, which the set {options.set} does not score. Choose a newer --set."
        )
    try:
        plan.selected()
    except (UnknownRequirement, ConfigurationFault) as fault:
        raise click.UsageError(str(fault)) from None
    return plan


def print_plan(options: Options, har: Path | None) -> int:
    """Print how many requests and creations the run would make, by clause; write them into the file `har`."""
    from conformance.reference.config import ReferenceConfig
    from conformance.run.rehearsal import rehearse

    plan, target = plan_of(options), options.target()
    with explained(str):
        rehearsal = rehearse(target, plan, options.seed)
        if har is not None:
            _write(rehearsal, target.base_url, har)
    counts = rehearsal.counts
    rows = {f"{heading:<9}  {TITLES.get(heading, '')}": numbers for heading, numbers in counts.items()}
    rows["Total"] = (sum(requests for requests, _ in counts.values()), sum(created for _, created in counts.values()))
    click.echo(f"{'Clause':<44}  {'Requests':>9}  {'Created':>9}")
    for name, (requests, created) in rows.items():
        click.echo(f"{name:<44}  {requests:>9,}  {created:>9,}")
    where = f"Nothing was sent to {target.base_url}" if options.base_url else "Nothing was sent"
    click.echo(
        f"\n{where}, and no command was run. Counted in a run over the suite's own reference service, with a limit of "
        f"{ReferenceConfig().max_requests}. A service with a higher limit gets more creations, at most "
        f"{target.budget.max_created:,} (--max-created); other answers change the numbers slightly."
    )
    if har is not None:
        click.echo(f"{har} lists the requests. {_OF_A_STAND_IN}")
    return Exit.CONFORMS


_OF_A_STAND_IN = (
    "Identifiers, data types and tokens in them, and all responses, are those of a stand-in: a run takes them from the "
    "service."
)


def _write(rehearsal: Rehearsal, base_url: str, file: Path) -> None:
    """Write the requests of a rehearsal as HAR, under the address of the service."""
    from conformance.run.documents import Documents

    evidence = Documents(rehearsal.run).evidence
    log = {**evidence["log"], "comment": f"Planned requests of one run. {_OF_A_STAND_IN}"}
    text = as_json({"log": log}, indent=1).replace(rehearsal.base_url, base_url)
    with writing("--har"):
        if file.exists():
            raise existing(file, "--har")
        file.write_text(text, "utf-8")
