"""`drsi-conformance verify`: computes the verdicts of a recorded run again, from its evidence and without a network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance import __version__
from conformance.cli import specification as of_reader
from conformance.cli.errors import Failure
from conformance.cli.options import PATH
from conformance.cli.recorded import AlteredRun, is_bundle, read, read_report, unpacked
from conformance.evidence import chain
from conformance.model.text import count, printable, shorten
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from conformance.evidence.authenticity import Result
    from conformance.model.report import Report
    from conformance.model.specification import Specification
    from conformance.runner.verify import Difference, Verification

_SHOWN = 20
"""How many differences are printed without --list."""


@click.command(
    "verify",
    short_help="Compute the verdicts of a recorded run again, from its evidence.",
    epilog="Exit codes: 0 all is equal and intact, 1 something differs or was altered, 2 the run cannot be read, "
    "3 pages quote the specification and could not be compared without a copy of it.",
)
@click.argument("run", type=PATH, metavar="RUN")
@click.option("--key", type=PATH, metavar="PUBLIC", help="Public key (PEM) of the expected signer of the bundle.")
@click.option(
    "--tsa-ca",
    type=PATH,
    metavar="FILE",
    help="Root certificate (PEM) of the expected time-stamping authority.",
)
@of_reader.option
@click.option("--list", "listed", is_flag=True, help="Print the verdicts of every requirement, and every difference.")
def command(run: Path, *, key: Path | None, tsa_ca: Path | None, specification: Path | None, listed: bool) -> int:
    """Compute the verdicts of a recorded run again and compare them with its report.

    The suite makes all its checks again. The recorded exchanges answer its requests; nothing is sent.

    RUN is the folder of a run, its report.json, or a bundle. The digests, the signature and the time stamp of a bundle
    are checked as well.
    """
    from conformance.evidence import authenticity

    packed = is_bundle(run)
    if (key or tsa_ca) and run.exists() and not packed:
        raise click.UsageError(f"--key and --tsa-ca check a bundle, and {run} is none. Name the zip file.")
    try:
        with unpacked(run) as place:
            copy = _copy_of(specification, place)
            vouched = authenticity.check(place, key, tsa_ca, copy) if packed else None
            return _verified(place, vouched, copy, listed=listed)
    except AlteredRun as failure:
        failure.code = Exit.DOES_NOT_CONFORM
        raise


def _copy_of(path: Path | None, place: Path) -> Specification | None:
    """Return the reader's copy of the specification, if it is the edition of the run at `place`."""
    from conformance.runner.live_evidence import is_killed

    if path is None or is_killed(place):  # a killed run has no pages
        return None
    return of_reader.read(path, read_report(place).suite.edition)


def _verified(folder: Path, of_a_bundle: Sequence[Result] | None, copy: Specification | None, *, listed: bool) -> int:
    """Verify the run in a folder and print the result, with what a bundle shows beside the run."""
    from conformance.evidence import authenticity
    from conformance.runner import verify
    from conformance.runner.live_evidence import is_killed

    if of_a_bundle is None and is_killed(folder):
        return _of_a_killed_run(folder)
    found = read(folder, needs_evidence=True)
    vouched = of_a_bundle
    if vouched is None:
        vouched = [each for each in [authenticity.pages(found.folder, copy)] if each.valid is False or each.needs_copy]
    try:
        result = verify.verify(found.data, found.evidence)
    except verify.Unreadable as error:
        altered = "".join(f"{each}; " for each in error.damage[:3])
        raise Failure(
            f"The evidence cannot be verified: {altered}{error}.",
            remedy="Expected the evidence.har that this suite wrote beside the report. Ask for an unaltered copy.",
            exit_code=Exit.DOES_NOT_CONFORM if error.damage else Exit.USAGE,
        ) from None
    lines = [*_lines(result, listed=listed), *(f"  {each.part}: {each.message}" for each in vouched)]
    for line in (*lines, _stated(found.report), _conclusion(result, vouched, found.report)):
        click.echo(printable(line))
    intact = result.is_equal and all(each.valid is not False for each in vouched)
    if intact and any(each.needs_copy for each in vouched):
        return Exit.INCONCLUSIVE
    return Exit.CONFORMS if intact else Exit.DOES_NOT_CONFORM


def _of_a_killed_run(folder: Path) -> int:
    """Check the digests of the exchanges that a killed run left, and print the result: there are no verdicts."""
    from conformance.runner import live_evidence

    path = folder / live_evidence.FILE
    try:
        entries = list(live_evidence.entries(path))
        wrong = list(chain.unlinked(entries))
        last = entries[-1]["startedDateTime"] if entries else "none"
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Failure(
            f"{path} cannot be read as the evidence of a run: {type(error).__name__}: {error}.",
            remedy="Expected the file as a killed run left it. Ask for an unaltered copy.",
        ) from None
    for each in wrong:
        click.echo(f"  altered: {printable(each)}")
    click.echo(
        f"The run was killed and decided nothing; {count(len(entries), 'exchange')} recorded, the last at "
        f"{printable(str(last))}; digests {'not ' if wrong else ''}intact up to there"
    )
    return Exit.DOES_NOT_CONFORM if wrong else Exit.CONFORMS


def _lines(result: Verification, *, listed: bool) -> Iterator[str]:
    for requirement, (recorded, recomputed) in result.verdicts.items():
        differs = requirement in result.differing
        if listed or differs:
            same = "the verdict is equal, its evidence differs" if recorded == recomputed else f"differs: {recomputed}"
            yield f"  {requirement:<40} {recorded:<15} {same if differs else 'equal'}"
    for words in result.damage:
        yield f"  altered: {words}"
    shown = result.differences if listed else result.differences[:_SHOWN]
    for each in shown:
        yield from _difference(each)
    if more := len(result.differences) - len(shown):
        yield f"  {count(more, 'more difference')}; --list prints all."


def _difference(each: Difference) -> Iterator[str]:
    yield f"  {each.requirement or 'the run'}: {each.what} ({_CAUSES[each.cause]})"
    yield f"    recorded    {shorten(each.recorded, 300)}"
    yield f"    recomputed  {shorten(each.recomputed, 300)}"


_CAUSES = {
    "evidence": "the evidence does not support the report",
    "catalogue": "the catalogue of requirements has changed since",
    "interpretation": "the interpretation of the specification has changed since",
    "suite": "the suite has changed since",
}


def _stated(report: Report) -> str:
    """Return what the report states: a run that is verified need not conform."""
    from conformance.reports import summary

    parts = [f"The report states: {summary.headline(report)}. {summary.numbers_sentence(report)}"]
    parts.append(summary.scope_sentence(report))
    if number := len(report.attestations):
        parts.append(f"{count(number, 'requirement')} attested by a person.")
    return " ".join(filter(None, parts))


def _conclusion(result: Verification, vouched: Sequence[Result], report: Report) -> str:
    """Return the result in one line."""
    of = len(result.verdicts)
    parts = [f"{of - len(result.differing)} of {of} verdicts recomputed and equal"]
    if others := [each for each in result.differences if not each.requirement]:
        parts.append(count(len(others), "other difference"))
    parts.append("digests not intact" if result.damage else "digests intact")
    for each in vouched:
        if each.part in ("signature", "time stamp"):
            parts.append(f"no {each.part}" if each.is_absent else f"{each.part} {_STATES[each.valid]}")
        elif each.valid is False:
            parts.append(f"{each.part} not as recorded")
        elif each.needs_copy:
            parts.append(f"{each.part} not compared")
    nonce = f", nonce {report.run.nonce}" if report.run.nonce else ""
    made_by = report.suite.version
    by = "" if made_by == __version__ else f" by version {made_by}, of which only verdicts were compared"
    return f"{'; '.join(parts)}; recorded {report.started} against {report.target.base_url}{nonce}{by}"


_STATES = {True: "valid", False: "not valid", None: "not checked"}
