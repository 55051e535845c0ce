"""The plan of a run, from the options of `check`, and the calls that it would make."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import click

from conformance.cli.errors import explained
from conformance.cli.options import Options
from conformance.cli.waive import load as load_waivers
from conformance.model.requirements import TITLES, UnknownRequirement
from conformance.model.verdict import Exit
from conformance.reference.config import ReferenceConfig

if TYPE_CHECKING:
    from conformance.runner.run import Plan


def plan_of(options: Options) -> Plan:
    """Return the plan that the options describe; raise UsageError for a selection that leaves nothing."""
    from conformance.model.errors import ConfigurationFault
    from conformance.runner.run import Plan

    plan = Plan(
        profile=options.profile,
        select=options.select,
        deselect=options.deselect,
        only=options.only,
        strict=options.strict,
        fail_on=options.fail_on,
        waivers=load_waivers(options.waivers, embedded=options.base_url is None),
        options=options.recorded(),
        labels=dict(options.label),
        target_kind="service" if options.base_url else "embedded",
    )
    try:
        plan.selected()
    except (UnknownRequirement, ConfigurationFault) as fault:
        raise click.UsageError(str(fault)) from None
    return plan


def print_plan(options: Options) -> int:
    """Print how many requests and creations the run would make, by clause."""
    from conformance.model.errors import ConfigurationFault, NotDecided
    from conformance.runner.plan import like, rehearse

    plan, target = plan_of(options), options.target()
    with closing(options.session(target)) as session, explained(session.secrets.text):
        config, basis = ReferenceConfig(), "the suite's own reference service"
        if options.base_url is not None:
            try:
                config = like(session)
                basis = f"a service like {target.base_url}, with a limit of {config.max_requests:,}"
            except (NotDecided, ConfigurationFault) as reason:
                basis += f"; the limit of {target.base_url} is not known ({str(reason).rstrip('.')})"
        counts = rehearse(target, plan, options.seed, config)
    rows = {f"{heading:<9}  {TITLES.get(heading, '')}": numbers for heading, numbers in counts.items()}
    rows["Total"] = (sum(requests for requests, _ in counts.values()), sum(created for _, created in counts.values()))
    click.echo(f"{'Clause':<44}  {'Requests':>9}  {'Created':>9}")
    for name, (requests, created) in rows.items():
        click.echo(f"{name:<44}  {requests:>9,}  {created:>9,}")
    click.echo(f"\nCounted in a run over {basis}. Other answers of the service change the numbers slightly.")
    return Exit.CONFORMS
