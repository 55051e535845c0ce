"""`drsi-conformance witness`: asks a live service again what a recorded run decided."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from conformance.cli import check, verifier
from conformance.cli.errors import Failure
from conformance.cli.option import WITNESS, places_of, with_options
from conformance.cli.options import Options
from conformance.cli.recorded import read_report
from conformance.cli.signals import Interruption
from conformance.cli.target_options import TargetOptions
from conformance.cli.values import PATH
from conformance.model.printable import printable
from conformance.model.requirements import all_testable
from conformance.model.text import count
from conformance.model.verdict import Exit
from conformance.reports import witness
from conformance.trust import builds

if TYPE_CHECKING:
    from conformance.model.report import Report


@click.command(
    "witness",
    short_help="Test the verdicts of a recorded run again on the live service.",
    epilog="Exit codes: 0 everything agrees, 1 something differs, 2 usage or configuration error, 3 something could "
    "not be tested, 4 the suite itself failed.",
)
@click.argument("run", type=PATH, metavar="RUN")
@with_options(TargetOptions)
@click.option(
    "--sample",
    type=click.IntRange(1, 1_000),
    default=None,
    metavar="NUMBER",
    help="Compare only this number of the recorded verdicts; the calls are the same.  [default: all]",
)
@click.option(
    "--nonce",
    "own_nonce",
    default="",
    metavar="VALUE",
    help="Text that decides the seed and the sample.  [default: the nonce of the recorded run]",
)
@click.option(
    "--anonymous/--no-anonymous",
    default=True,
    show_default=True,
    help="Look like a common HTTP client, so that the service does not recognise the witness.",
)
@verifier.option
@click.option(
    "--output",
    "folder",
    type=PATH,
    metavar="DIR",
    help="Folder for the report of the live run.  [default: reports/<host>-<time>]",
)
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    run: Path,
    sample: int | None,
    own_nonce: str,
    folder: Path | None,
    attest: Path | None,
    **_: Any,
) -> int:
    """Test the verdicts that RUN recorded again, on the service at BASE_URL, and report which agree.

    RUN is the folder of a run, its report.json, or a bundle. The command makes all the calls of a whole run. With
    --sample it compares only some verdicts, and a nonce decides which: if you choose --nonce after the run was
    recorded, the organisation cannot know them in advance. Without a token, it tests only requirements that need none.
    """
    recorded = read_report(run)
    if context.params["base_url"] is None:
        raise click.UsageError("The address of the live service is missing. Add the BASE_URL.")
    options = Options.of(context)
    if folder is not None and folder.resolve() == (run if run.is_dir() else run.parent).resolve():
        raise click.UsageError(f"--output: {folder} is the folder of the recorded run. Name another one.")
    stated = verifier.statement("witness", run, attest)
    seed = witness.seed_of(recorded, own_nonce)
    public = options.profile == "public" or options.user is None
    known = _known(recorded, public=public)
    drawn = witness.sample(known, sample or len(known), seed)
    if context.get_parameter_source("seed") is ParameterSource.DEFAULT:
        options = replace(options, seed=seed.number)
    options = replace(
        options,
        profile="public" if public else "full",
        select=tuple(drawn),
        output=folder,
        language_selector=options.language_selector or _selector(recorded),
    )
    click.echo("\n".join(_opening(recorded, run, options, seed, number=len(known))))
    live = _asked(options, context.ensure_object(Interruption))
    found = witness.answers(recorded, live.shown, drawn)
    left = live.run.report.summary.left_behind
    said = [*witness.lines(found), f"{count(left, 'data request')} may be left behind at the service." if left else ""]
    click.echo("\n".join(filter(None, [*said, witness.conclusion(found, len(known), seed, live.shown)])))
    code = _code({each.result for each in found}, live.run.report, left)
    if stated is not None:
        details = witness.details(found, len(known), seed, live.shown)
        levels, address = ["DRSI_LIVE_SERVICE_AGREES"], live.shown.target.base_url
        for line in stated.write(recorded, code, resource=address, levels=levels, details=details):
            click.echo(printable(line))
    return code


def _code(results: set[str], live: Report, left: int) -> Exit:
    if witness.DIFFERS in results:
        return Exit.DOES_NOT_CONFORM
    if live.crashes:
        return Exit.BROKEN
    return Exit.INCONCLUSIVE if left or witness.UNTESTED in results else Exit.CONFORMS


def _known(recorded: Report, *, public: bool) -> list[str]:
    """Return the requirements to draw from; raise Failure if there is none."""
    from conformance.run.all_checks import decidable

    known = witness.candidates(recorded, all_testable() & decidable(public=public))
    if not known:
        raise Failure(
            "The run decided no requirement that can be tested here.",
            remedy="Give a token with DRSI_TOKEN." if public else "Name a run that has verdicts.",
            exit_code=Exit.INCONCLUSIVE,
            state="The service was not contacted.",
        )
    return known


def _selector(recorded: Report) -> Any:
    """Return the language selector of the recorded run, or None."""
    from conformance.model.errors import ConfigurationFault
    from conformance.model.option_values import checked_selector

    text = recorded.run.options.get("language-selector")
    try:
        return checked_selector(text) if isinstance(text, str) else None
    except ConfigurationFault as fault:
        raise Failure(f"The language selector of the run cannot be used: {fault}", remedy="Give another one.") from None


def _opening(recorded: Report, run: Path, options: Options, seed: Any, *, number: int) -> list[str]:
    lines = [f"{run}: recorded at {recorded.started} against {recorded.target.base_url}; asks {options.base_url}."]
    if not builds.is_this_build(recorded.suite.build):
        lines.append("Another build of the suite made the recorded run; verdicts may differ for that reason.")
    if options.profile == "public":
        lines.append("Only requirements that need no token are tested.")
    asked = len(options.select)
    drawn = f"All {number:,} verdicts" if asked == number else f"Sample of {asked:,} from {number:,} verdicts"
    lines.append(f"{drawn}, seed from {seed.source} (SHA-256 {seed.digest}); the run has seed {options.seed}.")
    return [printable(line) for line in lines]


def _asked(options: Options, interruption: Interruption) -> Any:
    """Return the run against the live service."""
    from conformance.cli.checked_run import checked
    from conformance.cli.earlier_runs import settled
    from conformance.run.plan import Plan

    options, notes = settled(options)
    plan = Plan(profile=options.profile, select=options.select, options=options.recorded(), notes=notes)
    return checked(options, plan, None, interruption)


command.params += [each for each in check.command.params if WITNESS in places_of(each)]
