"""`drsi-conformance check`: the main job, from a base_url to a compliance report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from conformance.cli import specification
from conformance.cli.local_services import application, embedded
from conformance.cli.options import Options, target_options
from conformance.cli.plan import plan_of, print_plan
from conformance.cli.recorded import read_report
from conformance.cli.signals import Interruption
from conformance.cli.values import (
    HELP_BASE,
    PATH,
    Number,
    Parsed,
    alerts,
    application_name,
    formats,
    ids,
    labels,
    requirement_set,
    site_address,
)
from conformance.cli.waive import FILE_NAME as WAIVERS

if TYPE_CHECKING:
    from conformance.application.process import ApplicationProcess
    from conformance.reference.process import ReferenceProcess
    from conformance.runner.documents import Documents


@click.command("check", short_help="Check a service and write the compliance report.")
@target_options
@click.option(
    "--app",
    type=Parsed(lambda _, text: application_name(text)),
    metavar="MODULE:APP",
    help="Check this ASGI or WSGI application in place of a BASE_URL, such as service.main:app or service:app/api/v1.",
)
@click.option(
    "--select",
    multiple=True,
    callback=ids,
    metavar="ID",
    help="Report only on these clauses (4.3) or ids, comma-separated. The run still makes the calls of all checks.",
)
@click.option(
    "--deselect", multiple=True, callback=ids, metavar="ID", help="Leave out these clauses or ids, and their checks."
)
@click.option(
    "--only",
    multiple=True,
    callback=ids,
    metavar="ID",
    help="Make just the calls that these clauses or ids need, comma-separated: quick, but a whole run may find more.",
)
@click.option(
    "--set",
    callback=requirement_set,
    metavar="NAME",
    help="Frozen set of requirements that are scored; what else is found decides nothing.  [default: the newest]",
)
@click.option(
    "--strict/--no-strict",
    help="Count a recommendation of the specification that is not met as a failure; advice of the suite never counts.",
)
@click.option(
    "--fail-on",
    multiple=True,
    callback=alerts,
    metavar="ID|alerts",
    help="Count these alerts as failures: ids such as 5-isolation, or alerts for all of them.",
)
@click.option("--expired-token-file", type=PATH, metavar="FILE", help="File that contains the expired token.")
@click.option(
    "--expired-token",
    metavar="TOKEN",
    envvar="DRSI_EXPIRED_TOKEN",
    show_envvar=True,
    help="A token of this service that expired some minutes ago or earlier: the service must answer 401 to it.",
)
@click.option("--foreign-token-file", type=PATH, metavar="FILE", help="File that contains the foreign token.")
@click.option(
    "--foreign-token",
    metavar="TOKEN",
    envvar="DRSI_FOREIGN_TOKEN",
    show_envvar=True,
    help="A valid token of another service, not meant for this one: the service must answer 401 to it.",
)
@click.option(
    "--also-base-url",
    multiple=True,
    type=Parsed(lambda target, text: target.checked_base_url(text)),
    metavar="URL",
    help="A further address of the same service, such as another instance: calls go to all addresses in turn.",
)
@click.option(
    "--language-selector",
    type=Parsed(lambda target, text: target.LanguageSelector.parse(text)),
    metavar="header:NAME|query:NAME|none",
    help="How the service chooses the language of GET /data; none confirms that nothing does.  [default: detected]",
)
@click.option(
    "--empty-account/--no-empty-account",
    help="Confirm that nothing else counts against the limit of these users: no older requests, none of others.",
)
@click.option(
    "--anonymous/--no-anonymous",
    help="Look like a common HTTP client, and order the checks by the seed: is the suite treated specially?",
)
@click.option("--thorough/--no-thorough", help="Ten times as many repetitions, samples and generated calls.")
@click.option(
    "--max-created",
    type=click.IntRange(0, 1_000_000),
    metavar="NUMBER",
    help="Maximum number of data requests to create.  [default: 200; thorough: 2000]",
)
@click.option(
    "--max-requests",
    type=click.IntRange(20, 10_000_000),
    metavar="NUMBER",
    help="Maximum number of requests; the clean-up does not count.  [default: no limit]",
)
@click.option(
    "--max-time",
    type=Number(1, 1_000_000),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="Maximum time of the whole run, including the clean-up.",
)
@click.option(
    "--await-completion",
    type=Number(0, 86_400),
    metavar="SECONDS",
    help="How long the suite waits, at the end of the run, for a data request to complete.  [default: 0; thorough: 10]",
)
@click.option(
    "--complete-command",
    type=Parsed(lambda target, text: target.checked_completion(text)),
    metavar="COMMAND",
    help="Command that makes the service complete a data request, such as 'complete.sh {requestId}'.",
)
@click.option(
    "--reset-command",
    metavar="COMMAND",
    help="Command that removes all data requests of these users. It runs once, before the first call of a full run.",
)
@click.option(
    "--waivers",
    type=PATH,
    metavar="FILE",
    help=f"File of known failures that are accepted until a date.  [default: {WAIVERS}, if it exists]",
)
@click.option(
    "--stale-waivers",
    type=click.Choice(["fail", "warn"]),
    default="fail",
    show_default=True,
    help="Whether expired and unused waivers fail the run.",
)
@click.option(
    "--baseline",
    type=PATH,
    metavar="RUN",
    help="Recorded run whose failures are known: the exit code is 1 only for new ones.",
)
@click.option("--last-failed", is_flag=True, help="Like --only, with what failed or was inconclusive in the last run.")
@click.option(
    "--repeat",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    metavar="NUMBER",
    help="Make the whole run this often, and join the reports: what differs between them is unstable, never a pass.",
)
@click.option(
    "--wait",
    type=Number(0, 86_400),
    default=0,
    show_default=True,
    metavar="SECONDS",
    help="Wait until the service answers, at most this long, before the run begins.",
)
@click.option(
    "--watch",
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="Check again after each change of this file, or of a file in this folder, until Ctrl-C.",
)
@click.option("--plan", is_flag=True, help="Only print how many requests and creations the run would make, by clause.")
@click.option("--har", type=PATH, metavar="FILE", help="With --plan: write the requests into this file, as HAR.")
@click.option(
    "--keep-personal-data/--no-keep-personal-data",
    help="Record personal data as the service sends it, instead of pseudonyms. For a service of your own.",
)
@click.option(
    "--pseudonym-key",
    type=PATH,
    metavar="FILE",
    help="Read the key of the pseudonyms from this file, or create it.  [default: a random key that is not kept]",
)
@click.option("--specification", type=PATH, metavar="FILE", help=specification.HELP)
@click.option("--help-base", callback=site_address, metavar="URL", help=HELP_BASE)
@click.option("--output", type=PATH, metavar="DIR", help="Folder of the report.  [default: reports/<host>-<time>]")
@click.option(
    "--format",
    multiple=True,
    callback=formats,
    metavar="FORMAT",
    help="Formats to write beside report.json and evidence.har, comma-separated.  [default: html,summary,junit]",
)
@click.option(
    "--label",
    multiple=True,
    callback=labels,
    metavar="KEY=VALUE",
    help="Record a label in the report, such as case=4711 or assessor=NAME.",
)
@click.option(
    "--authority",
    metavar="TEXT",
    help="Record on what authority the run is made, such as a contract or an order. The report shows it in its head.",
)
@click.option(
    "--nonce",
    type=Parsed(lambda target, text: target.checked_nonce(text)),
    metavar="VALUE",
    help="Challenge chosen by a regulator. The suite sends it in every User-Agent and records it in the report.",
)
@click.option("--quiet/--no-quiet", help="Show no progress.")
@click.pass_context
def command(context: click.Context, /, *, plan: bool, har: Path | None, watch: Path | None, **_: Any) -> int:
    """Check the service at BASE_URL against every requirement, and write the compliance report.

    Without BASE_URL the suite checks its own reference service.

    Options on the command line take precedence over the environment, and the environment over drsi-conformance.toml.
    """
    options = Options.of(context)
    if options.anonymous and context.params.get("nonce"):
        raise click.UsageError(
            "--anonymous and --nonce exclude each other: a nonce in the User-Agent tells the service which run it is. "
            "Leave one of them out, also of the configuration file."
        )
    if har is not None and not plan:
        raise click.UsageError("--har writes the requests of a plan. Add --plan; a run writes its evidence.har anyway.")
    if options.resets and options.base_url is None and options.app is None:
        raise click.UsageError(
            "--reset-command removes the data requests of an account, but there is no BASE_URL that it belongs to. "
            "Add the BASE_URL, or leave the option out, also of the configuration file."
        )
    if options.app is not None and options.base_url is not None:
        raise click.UsageError("BASE_URL and --app exclude each other. Leave one of them out, also of the file.")
    _refuse_other_services(options)
    if options.repeat > 1 and options.last_failed:
        raise click.UsageError("--repeat and --last-failed exclude each other: name what to repeat with --only.")
    interruption = context.ensure_object(Interruption)
    if plan:
        with application(options) as (served, _process):
            return print_plan(_narrowed(served), har)
    if watch is None:
        return _check_once(options, interruption)
    if options.base_url is None and options.app is None:
        raise click.UsageError("--watch needs the BASE_URL of a service, or --app: add one of them.")
    from conformance.cli.watch import repeated

    written = (Path("reports"), *([options.output] if options.output else []))
    return repeated(watch, lambda: _check_once(options, interruption), interruption, written=written)


def _refuse_other_services(options: Options) -> None:
    """Raise UsageError for a further address that cannot be one of the same service."""
    if options.also_base_url and options.base_url is None:
        raise click.UsageError("--also-base-url names a further address of the service at BASE_URL. Add the BASE_URL.")
    seen = [options.base_url]
    for each in options.also_base_url:
        one, other = urlsplit(each), urlsplit(options.base_url or "")
        if (one.scheme, one.path) != (other.scheme, other.path):
            raise click.UsageError(
                f"--also-base-url: expected the scheme and the path of {options.base_url}, received {each}. "
                "All addresses belong to one service: only host and port differ."
            )
        if each in seen:
            raise click.UsageError(f"--also-base-url: {each} is given twice.")
        seen.append(each)


def _check_once(options: Options, interruption: Interruption) -> int:
    from conformance.cli.baseline import Baseline
    from conformance.reports.exit_code import exit_code

    baseline = Baseline(options.baseline, read_report(options.baseline)) if options.baseline else None
    if options.repeat > 1:
        from conformance.cli.repeat import check_repeatedly

        report = check_repeatedly(options, interruption, _run_once)
    else:
        report = _run_once(options, interruption).shown
    if baseline is None:
        return exit_code(report)
    baseline.print_news(report)
    return exit_code(report, baseline.report)


def _run_once(options: Options, interruption: Interruption) -> Documents:
    with application(options) as (served, process):
        chosen = _narrowed(served)
        with embedded(chosen) as service:
            return _check(chosen, service, interruption, process)


def _narrowed(options: Options) -> Options:
    """Return `options` with the selection of --last-failed, if that is given."""
    if not options.last_failed:
        return options
    from conformance.cli.last_failed import last_failed

    return last_failed(options, plan_of(options).selected())


def _check(
    options: Options,
    service: ReferenceProcess | None,
    interruption: Interruption,
    process: ApplicationProcess | None,
) -> Documents:
    from conformance.cli.checked_run import checked
    from conformance.model.raised import assign

    plan = plan_of(options)
    if process is not None:
        plan = replace(plan, explain=lambda exchanges: assign(exchanges, process.raised()))
    return checked(options, plan, service, interruption)
