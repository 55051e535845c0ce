"""The further options of `check`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.option import AUDIT, FILE, NAMED_FILE, PYTEST, WITNESS, option, token
from conformance.cli.specification import HELP as SPECIFICATION
from conformance.cli.target_options import TargetOptions
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
    from conformance.model.target import LanguageSelector, Token


@dataclass(frozen=True, kw_only=True)
class CheckOptions(TargetOptions):
    """What is checked, with which budgets, what counts as a failure, and what is written; None means not given."""

    app: str | None = option(
        "--app",
        type=Parsed(lambda _, text: application_name(text)),
        metavar="MODULE:APP",
        help="Check this ASGI or WSGI application in place of a BASE_URL, such as service.main:app or "
        "service:app/api/v1.",
        recorded=True,
        places=NAMED_FILE | PYTEST,
    )
    app_host: str | None = option(
        "--app-host",
        type=Parsed(lambda values, text: values.checked_host(text)),
        metavar="NAME",
        help="Name of the host that calls of --app name, for an application that accepts only some (ALLOWED_HOSTS, "
        "TrustedHostMiddleware).  [default: 127.0.0.1]",
        recorded=True,
        places=NAMED_FILE | PYTEST,
    )
    select: tuple[str, ...] = option(
        "--select",
        multiple=True,
        callback=ids,
        metavar="ID",
        help="Report only on these clauses (4.3) or ids, comma-separated. The run still makes the calls of all checks.",
        recorded=True,
        places=NAMED_FILE | AUDIT,
    )
    deselect: tuple[str, ...] = option(
        "--deselect",
        multiple=True,
        callback=ids,
        metavar="ID",
        help="Leave out these clauses or ids, and their checks.",
        recorded=True,
        places=NAMED_FILE | AUDIT,
    )
    only: tuple[str, ...] = option(
        "--only",
        multiple=True,
        callback=ids,
        metavar="ID",
        help="Make just the calls that these clauses or ids need, comma-separated: quick, but a whole run "
        "may find more.",
        recorded=True,
        places=NAMED_FILE | AUDIT,
    )
    set: str = option(
        "--set",
        callback=requirement_set,
        absent="",
        recorded=True,
        metavar="NAME",
        help="Frozen set of requirements that are scored; what else is found decides nothing.  [default: the newest]",
        places=NAMED_FILE | PYTEST | AUDIT,
    )
    """Name of the set of requirements that are scored; empty for the whole catalogue."""
    strict: bool = option(
        "--strict/--no-strict",
        help="Count a recommendation of the specification that is not met as a failure; advice of the suite "
        "never counts.",
        recorded=True,
        places=NAMED_FILE | AUDIT,
    )
    fail_on: tuple[str, ...] = option(
        "--fail-on",
        multiple=True,
        callback=alerts,
        metavar="ID|alerts",
        help="Count these alerts as failures: ids such as 5-isolation, or alerts for all of them.",
        recorded=True,
        places=NAMED_FILE | AUDIT,
    )
    expired: Token | None = token(
        "expired-token",
        help="A token of this service that expired some minutes ago or earlier: the service must answer 401 to it.",
        file="File that contains the expired token.",
        places=WITNESS,
    )
    foreign: Token | None = token(
        "foreign-token",
        help="A valid token of another service, not meant for this one: the service must answer 401 to it.",
        file="File that contains the foreign token.",
        places=WITNESS,
    )
    language_selector: LanguageSelector | None = option(
        "--language-selector",
        type=Parsed(lambda values, text: values.checked_selector(text)),
        metavar="header:NAME|query:NAME|none",
        help="How the service chooses the language of GET /data; none confirms that nothing does.  [default: detected]",
        recorded=True,
        places=NAMED_FILE | PYTEST | AUDIT | WITNESS,
    )
    empty_account: bool = option(
        "--empty-account/--no-empty-account",
        help="Confirm that nothing else counts against the limit of these users: no older requests, none of others.",
        recorded=True,
        places=NAMED_FILE | PYTEST | AUDIT | WITNESS,
    )
    cleanup_first: bool = option(
        "--cleanup-first",
        is_flag=True,
        help="Before the run, delete what an earlier run left in these accounts, as its journal beside this run says.",
        places=PYTEST,
    )
    anonymous: bool = option(
        "--anonymous/--no-anonymous",
        help="Is the suite treated specially? Send User-Agent and header fields of a common HTTP client, no word as "
        "no-such-type-…, and what a drawn --seed gives, which also orders the checks.",
        recorded=True,
        places=NAMED_FILE | AUDIT,
    )
    thorough: bool = option(
        "--thorough/--no-thorough",
        help="Ten times as many repetitions, samples and generated calls.",
        recorded=True,
        places=FILE | PYTEST | AUDIT | WITNESS,
    )
    max_created: int | None = option(
        "--max-created",
        type=click.IntRange(0, 1_000_000),
        metavar="NUMBER",
        help="Maximum number of data requests to create.  [default: 200; thorough: 2000]",
        recorded=True,
        places=FILE | PYTEST | AUDIT | WITNESS,
    )
    max_requests: int | None = option(
        "--max-requests",
        type=click.IntRange(20, 10_000_000),
        metavar="NUMBER",
        help="Maximum number of requests; the clean-up does not count.  [default: no limit]",
        recorded=True,
        places=FILE | PYTEST | AUDIT | WITNESS,
    )
    max_time: float | None = option(
        "--max-time",
        type=Number(1, 1_000_000),
        default=600,
        absent=None,
        show_default=True,
        metavar="SECONDS",
        help="Maximum time of the whole run, including the clean-up.",
        recorded=True,
        places=FILE | PYTEST | AUDIT | WITNESS,
    )
    await_completion: float | None = option(
        "--await-completion",
        type=Number(0, 86_400),
        metavar="SECONDS",
        help="How long the suite waits, at the end of the run, for a data request to complete.  [default: 0; "
        "thorough: 10]",
        recorded=True,
        places=NAMED_FILE | AUDIT | WITNESS,
    )
    complete_command: str | None = option(
        "--complete-command",
        type=Parsed(lambda values, text: values.checked_completion(text)),
        metavar="COMMAND",
        help="Command that makes the service complete a data request, such as 'complete.sh {requestId}'.",
        places=NAMED_FILE | AUDIT | WITNESS,
    )
    reset_command: str | None = option(
        "--reset-command",
        metavar="COMMAND",
        help="Command that removes all data requests of these users. It runs once, before the first call of "
        "a full run.",
        places=NAMED_FILE | AUDIT | WITNESS,
    )
    waivers: Path | None = option(
        "--waivers",
        type=PATH,
        metavar="FILE",
        help=f"File of known failures that are accepted until a date.  [default: {WAIVERS}, if you trust it]",
        recorded=True,
        places=NAMED_FILE | PYTEST | AUDIT,
    )
    stale_waivers: str = option(
        "--stale-waivers",
        type=click.Choice(["fail", "warn"]),
        default="fail",
        show_default=True,
        help="Whether expired and unused waivers fail the run.",
        recorded=True,
        places=NAMED_FILE | AUDIT,
    )
    baseline: Path | None = option(
        "--baseline",
        type=PATH,
        metavar="RUN",
        help="Recorded run whose failures are known: the exit code is 1 only for new ones.",
        places=NAMED_FILE,
    )
    last_failed: bool = option(
        "--last-failed",
        is_flag=True,
        help="Like --only, with what failed or was inconclusive in the last run.",
    )
    leave: bool = option(
        "--leave/--no-leave",
        help="Leave one data request at the service, for a run with --resume after the service completed it.",
        places=NAMED_FILE | AUDIT,
    )
    resume: Path | None = option(
        "--resume",
        type=PATH,
        metavar="RUN",
        help="Go on with the data request that RUN left (--leave): judge and delete it if it is completed.",
    )
    repeat: int = option(
        "--repeat",
        type=click.IntRange(1, 100),
        default=1,
        show_default=True,
        metavar="NUMBER",
        help="Make the whole run this often, and join the reports: what differs between them is unstable, "
        "never a pass.",
        places=FILE | AUDIT,
    )
    wait: float = option(
        "--wait",
        type=Number(0, 86_400),
        default=0,
        show_default=True,
        metavar="SECONDS",
        help="Wait until the service answers, at most this long, before the run begins.",
        places=FILE,
    )
    watch: Path | None = option(
        "--watch",
        type=click.Path(exists=True, path_type=Path),
        metavar="PATH",
        help="Check again after each change of this file, or of a file in this folder, until Ctrl-C.",
    )
    plan: bool = option(
        "--plan",
        is_flag=True,
        help="Only print how many requests and creations the run would make, by clause; send and execute nothing.",
    )
    har: Path | None = option(
        "--har",
        type=PATH,
        metavar="FILE",
        help="With --plan: write the requests into this file, as HAR.",
    )
    keep_personal_data: bool = option(
        "--keep-personal-data/--no-keep-personal-data",
        help="Record personal data as the service sends it, instead of pseudonyms. For a service of your own.",
        recorded=True,
        places=NAMED_FILE,
    )
    pseudonym_key: Path | None = option(
        "--pseudonym-key",
        type=PATH,
        metavar="FILE",
        help="Read the key of the pseudonyms from this file, or create it.  [default: a random key that is not kept]",
        places=NAMED_FILE | AUDIT,
    )
    specification: Path | None = option(
        "--specification", type=PATH, metavar="FILE", help=SPECIFICATION, places=NAMED_FILE | AUDIT
    )
    keep_quotes: bool = option(
        "--keep-quotes/--no-keep-quotes",
        help="Keep the words that --specification quotes in report.json: every later view, store and register of the "
        "run quotes them. Who gets the run gets them too.",
        places=NAMED_FILE | AUDIT,
    )
    help_base: str | None = option(
        "--help-base", callback=site_address, metavar="URL", help=HELP_BASE, places=NAMED_FILE | AUDIT
    )
    output: Path | None = option(
        "--output",
        type=PATH,
        metavar="DIR",
        help="Folder of the report.  [default: reports/<host>-<time>]",
        places=NAMED_FILE | PYTEST,
    )
    format: tuple[str, ...] = option(
        "--format",
        multiple=True,
        callback=formats,
        metavar="FORMAT",
        help="Formats to write beside report.json and evidence.har, comma-separated.  [default: html,summary,junit]",
        places=FILE | AUDIT | WITNESS,
    )
    label: tuple[tuple[str, str], ...] = option(
        "--label",
        multiple=True,
        callback=labels,
        metavar="KEY=VALUE",
        help="Record a label in the report, such as case=4711 or assessor=NAME.",
        places=NAMED_FILE,
    )
    authority: str | None = option(
        "--authority",
        metavar="TEXT",
        help="Record on what authority the run is made, such as a contract or an order. The report shows it "
        "in its head.",
        places=NAMED_FILE,
    )
    nonce: str | None = option(
        "--nonce",
        type=Parsed(lambda values, text: values.checked_nonce(text)),
        metavar="VALUE",
        help="Challenge chosen by a regulator. The suite sends it in every User-Agent and records it in the report.",
        places=NAMED_FILE | AUDIT,
    )
    quiet: bool = option("--quiet/--no-quiet", help="Show no progress.", places=FILE | WITNESS)
