"""`drsi-conformance check`: the main job, from a base_url to a compliance report."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from conformance.cli.config import demand_again
from conformance.cli.local_services import application, demand_one_target, embedded, unserved
from conformance.cli.option import with_options
from conformance.cli.options import Options
from conformance.cli.plan import plan_of, print_plan
from conformance.cli.recorded import read_report
from conformance.cli.signals import Interruption
from conformance.cli.visits import demand_visits, earlier_run

if TYPE_CHECKING:
    from conformance.run.documents import Documents


@click.command("check", short_help="Check a service and write the compliance report.")
@with_options(Options)
@click.pass_context
def command(context: click.Context, /, **_: Any) -> int:
    """Check the service at BASE_URL against every requirement, and write the compliance report.

    Without BASE_URL the suite checks its own reference service.

    Options on the command line take precedence over the environment, and the environment over drsi-conformance.toml.
    """
    options = Options.of(context)
    if options.anonymous and context.get_parameter_source("seed") is ParameterSource.DEFAULT:
        options = replace(options, seed=secrets.randbelow(2**31))
    if options.anonymous and options.nonce:
        raise click.UsageError(
            "--anonymous and --nonce exclude each other: a nonce in the User-Agent tells the service which run it is. "
            "Leave one of them out, also of the configuration file."
        )
    if options.har is not None and not options.plan:
        raise click.UsageError("--har writes the requests of a plan. Add --plan; a run writes its evidence.har anyway.")
    if options.resets and options.base_url is None and options.app is None:
        raise click.UsageError(
            "--reset-command removes the data requests of an account, but there is no BASE_URL that it belongs to. "
            "Add the BASE_URL, or leave the option out, also of the configuration file."
        )
    demand_one_target(options)
    if options.keep_quotes and options.specification is None:
        raise click.UsageError("--keep-quotes keeps the words that --specification FILE quotes. Add --specification.")
    demand_visits(options)
    if options.repeat > 1 and options.last_failed:
        raise click.UsageError("--repeat and --last-failed exclude each other: name what to repeat with --only.")
    interruption = context.ensure_object(Interruption)
    if options.plan:
        return print_plan(_narrowed(unserved(options)), options.har)
    if options.watch is None:
        return _check_once(options, interruption)
    if options.base_url is None and options.app is None:
        raise click.UsageError("--watch needs the BASE_URL of a service, or --app: add one of them.")
    from conformance.cli.watch import repeated

    written = (Path("reports"), *([options.output] if options.output else []))

    def again() -> int:
        demand_again(context)  # between two runs, others may change the waivers
        return _check_once(options, interruption)

    return repeated(options.watch, again, interruption, written=written)


def _check_once(options: Options, interruption: Interruption) -> int:
    """Make a run, or its repetitions."""
    from conformance.reports.exit_code import exit_code

    before = read_report(options.baseline) if options.baseline else None
    if options.repeat > 1:
        from conformance.cli.repeat import check_repeatedly

        report = check_repeatedly(options, interruption, _run_once)
    else:
        report = _run_once(options, interruption).shown
    if options.baseline and before:
        from conformance.cli.baseline import print_news

        print_news(options.baseline, before, report)
    return exit_code(report, before)


def _run_once(options: Options, interruption: Interruption) -> Documents:
    from conformance.cli.checked_run import checked
    from conformance.cli.earlier_runs import settled
    from conformance.model.raised import assign

    with application(options) as (served, process):
        chosen = _narrowed(served)
        with embedded(chosen) as service:
            earlier = earlier_run(chosen)
            chosen, notes = settled(chosen, known=earlier.left if earlier else "")
            plan = replace(plan_of(chosen), notes=notes, leaves=chosen.leave)
            if process is not None:
                plan = replace(plan, explain=lambda exchanges: assign(exchanges, process.raised()))
            return checked(chosen, plan, service, interruption, earlier=earlier)


def _narrowed(options: Options) -> Options:
    """Return `options` with the selection of --last-failed, if that is given."""
    if not options.last_failed:
        return options
    from conformance.cli.last_failed import last_failed

    return last_failed(options, plan_of(options).selected())
