"""`drsi-conformance check`: the main job, from a base_url to a compliance report."""

from __future__ import annotations

from typing import Any

import click

from conformance.cli.collector import look_seldom
from conformance.cli.interrupt import Interruption
from conformance.cli.options import PATH, target_options


@click.command(short_help="Check a service and write the compliance report.")
@target_options
@click.option(
    "--select", multiple=True, metavar="ID", help="Decide only these: clauses (4.3) or ids, also with commas."
)
@click.option("--deselect", multiple=True, metavar="ID", help="Leave these out.")
@click.option("--strict/--no-strict", default=None, help="Count a recommendation that is not kept as a failure.")
@click.option(
    "--fail-on",
    multiple=True,
    metavar="ID|alerts",
    help="Count these alerts as failures: ids such as 5-isolation, also with commas, or alerts for all of them.",
)
@click.option(
    "--language-selector",
    metavar="header:NAME|query:NAME",
    help="How the service is asked for a language on GET /data.  [tried out]",
)
@click.option(
    "--empty-account/--no-empty-account",
    default=None,
    help="Vouch that the accounts hold no data requests: the limit can then be tried exactly.",
)
@click.option(
    "--thorough/--no-thorough", default=None, help="Ten times as many repetitions, samples and generated calls."
)
@click.option(
    "--max-created", type=int, metavar="NUMBER", help="Most data requests the run may create.  [100; thorough 1000]"
)
@click.option("--max-requests", type=int, metavar="NUMBER", help="Most requests, but for the clean-up.  [no limit]")
@click.option(
    "--max-time",
    type=float,
    metavar="SECONDS",
    help="Most time the whole run may take, its clean-up included.  [600]",
)
@click.option(
    "--await-completion",
    type=float,
    metavar="SECONDS",
    help="Seconds that the end of the run waits for a request to complete.  [0; thorough 10]",
)
@click.option("--plan", is_flag=True, help="Only say how many requests and creations the run would make, by clause.")
@click.option("--output", type=PATH, metavar="DIR", help="Where the run is written.  [reports/<host>-<time>]")
@click.option(
    "--format",
    multiple=True,
    metavar="FORMAT",
    help="html or junit: views to write beside report.json and evidence.har (json, har).  [all]",
)
@click.option("--html-log", type=PATH, metavar="FILE", help="Also write the log of the checks, by pytest-html.")
@click.option("--quiet/--no-quiet", default=None, help="Show no progress.")
@click.pass_obj
def command(interruption: Interruption, /, **options: Any) -> int:
    """Check the service at BASE_URL against every requirement, and write the compliance report.

    Without BASE_URL the suite checks its own reference service.

    The access token is read from DRSI_TOKEN, that of a second user from DRSI_OTHER_TOKEN. Options count before
    the environment, and that before drsi-conformance.toml.
    """
    look_seldom()
    from conformance.cli.settings import gather

    foretold = options.pop("plan")
    settings = gather(options)
    if foretold:
        from conformance.cli.foretold import foretell
        from conformance.cli.job import plan_of

        return foretell(settings, plan_of(settings))
    from conformance.cli.embedded import embedded

    with embedded(settings) as service:
        from conformance.cli.job import perform

        return perform(settings, service, interruption)
