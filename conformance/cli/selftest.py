"""`drsi-conformance selftest`: measures which faults the suite's own checks detect."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.errors import writing
from conformance.cli.values import PATH, refuse_two
from conformance.model.printable import as_json, printable
from conformance.model.score import FILE, published
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from conformance.calibration.document import DocumentScope
    from conformance.calibration.run_one import Job
    from conformance.calibration.vectors import Vectors

COMBINATIONS = 700
"""500 pairs and 200 triples, whose rates are published with the score."""


@click.command("selftest", short_help="Measure which faults the suite's own checks detect.")
@click.option("--quick", is_flag=True, help="Try a fixed sample: one fault of each requirement and every fifth twin.")
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Try only this fault or twin, the faults of this requirement, or this combination: 'NAME + NAME'.",
)
@click.option(
    "--pairs",
    type=click.IntRange(1),
    is_flag=False,
    flag_value=COMBINATIONS,
    metavar="[NUMBER]",
    help=f"Try this number of services with two or three faults instead (without a number: {COMBINATIONS}).",
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="NUMBER",
    help="Try each service this often, with different seeds, and measure the stability.",
)
@click.option(
    "--select",
    is_flag=True,
    help="Try each service also with one requirement selected, and compare its verdict with that of the whole run.",
)
@click.option(
    "--without",
    type=click.Choice(["schemathesis", "hypothesis"]),
    multiple=True,
    help="Try each fault also without the calls that this library generates, and list the faults that are missed then.",
)
@click.option(
    "--verify",
    is_flag=True,
    help="Also compute the verdicts of each run again from its evidence, and compare the reports.",
)
@click.option(
    "--compare",
    metavar="COMMIT",
    help="List each verdict that is another than with the code of this commit, which tries the same services.",
)
@click.option(
    "--no-cache", is_flag=True, help="Make the calls of each trial, also where a recording of the same calls is kept."
)
@click.option(
    "--command",
    "own",
    metavar="COMMAND",
    help="Measure tests of your own instead: run this command against a sample of the services, each with its address "
    "and tokens in DRSI_BASE_URL, DRSI_TOKEN and DRSI_OTHER_TOKEN, and show which mistakes it catches.",
)
@click.option("--all", "every", is_flag=True, help="With --command: try all services that a command can judge.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="With --command: the time that it may take for one service.",
)
@click.option("--output", type=PATH, metavar="DIR", help="Folder of the result.  [default: reports/calibration-<time>]")
@click.option(
    "--jobs", type=click.IntRange(1), metavar="NUMBER", help="Simultaneous runs.  [default: one more than cores]"
)
@click.option("--quiet", is_flag=True, help="Show no progress.")
def command(
    *,
    quick: bool,
    only: tuple[str, ...],
    pairs: int | None,
    repeat: int,
    select: bool,
    without: tuple[str, ...],
    verify: bool,
    compare: str | None,
    no_cache: bool,
    own: str | None,
    every: bool,
    timeout: float,
    output: Path | None,
    jobs: int | None,
    quiet: bool,
) -> int:
    """Run the suite against every fault and twin that ships with it, on this machine and without a network.

    Prints the score and every missed fault, and writes calibration.json. A run of all services, or of all pairs, also
    writes score.json, which may replace the score that ships with the suite.

    Exit code 0: every missed fault has a stated reason, and the score is at least the published one. With --pairs:
    every failed requirement is violated by one of the faults, and at least 97 % of the faults were found or reported
    as hidden. 1: any other result. With --command: 0 once every service was tried, 3 if the command was interrupted.
    """
    if own is not None:
        others = {"--pairs": pairs, "--compare": compare, "--select": select, "--verify": verify, "--without": without}
        others |= {"--repeat": repeat > 1}
        refuse_two({"--command": own} | {name: value or None for name, value in others.items()})
        return _measured(own, quick, only, every, timeout, jobs, output, quiet=quiet)
    if every:
        raise click.UsageError("--all belongs to --command: without it all services are tried anyway.")
    from conformance.calibration import pool
    from conformance.calibration.document import calibration
    from conformance.calibration.sample import lacking, repeated, selecting
    from conformance.calibration.vectors import moved, vectors
    from conformance.cli.progress import counted

    scope, chosen = _chosen(quick, only, pairs)
    all_seeds = repeated(chosen, repeat)
    wanted = [replace(job, verify=verify) for job in all_seeds] + (selecting(chosen) if select else [])
    wanted += lacking(all_seeds, dict.fromkeys(without))
    workers = min(jobs or _workers(), len(wanted))
    before = _before(compare, all_seeds, workers, read=not no_cache, quiet=quiet) if compare else None
    now = datetime.now(UTC)
    directory = output or Path("reports") / f"calibration-{now:%Y%m%dT%H%M%SZ}"
    with writing("--output"):
        directory.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    with counted(len(wanted), "Trying faults and twins", quiet=quiet) as advance:
        trials = pool.attempt_all(wanted, workers=workers, on_done=lambda _: advance(), read=not no_cache)
    committed = published()
    document = calibration(trials, scope=scope, measured=now, committed=committed)
    paths = _write(directory, document, committed)
    _print(document, paths, time.perf_counter() - began)
    if before is not None:
        _print_moved(list(moved(before, vectors(trials))))
    return Exit.DOES_NOT_CONFORM if document["problems"] else Exit.CONFORMS


def _measured(
    own: str,
    is_quick: bool,
    names: Sequence[str],
    every: bool,
    timeout: float,
    jobs: int | None,
    output: Path | None,
    *,
    quiet: bool,
) -> int:
    """Measure tests of the user, and return the exit code."""
    from conformance.calibration.own_tests import SAMPLE, services
    from conformance.calibration.run_one import REFERENCE_JOB
    from conformance.cli.own_tests import measure

    refuse_two({"--quick": is_quick or None, "--only": names or None, "--all": every or None})
    chosen = [job for job in _chosen(is_quick, names, None)[1] if job != REFERENCE_JOB]
    tried = chosen if is_quick or names else services(None if every else SAMPLE)
    return measure(own, tried, timeout, jobs or _workers(), output, quiet=quiet)


def _before(commit: str, jobs: Sequence[Job], workers: int, *, read: bool, quiet: bool) -> Vectors:
    """Return the verdicts of the code of a commit on the same services."""
    from conformance.calibration.other_commit import NoCommit, vectors_at

    if not quiet:
        click.echo(printable(f"The code of {commit} tries the services first."), err=True)
    try:
        return vectors_at(commit, jobs, workers=workers, read=read)
    except (NoCommit, OSError) as error:
        raise click.UsageError(f"--compare: {error}") from None


def _chosen(is_quick: bool, names: Sequence[str], number: int | None) -> tuple[DocumentScope, list[Job]]:
    from conformance.calibration.document import DocumentScope
    from conformance.calibration.sample import NoSuchVariant, everything, only, pairs, quick

    refuse_two({"--quick": is_quick or None, "--only": names or None, "--pairs": number})
    if number:
        # Only the default number is comparable with the published rates.
        return (DocumentScope.PAIRS if number == COMBINATIONS else DocumentScope.ONLY), pairs(number)
    if is_quick:
        return DocumentScope.QUICK, quick()
    try:
        return (DocumentScope.ONLY, only(names)) if names else (DocumentScope.FULL, everything())
    except NoSuchVariant as error:
        raise click.UsageError(str(error)) from None


def _workers() -> int:
    # A container may use fewer cores than the machine has. One worker more, because slow services leave a core idle.
    return 1 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _write(directory: Path, document: dict[str, Any], committed: dict[str, Any] | None) -> list[Path]:
    from conformance.calibration.document import DocumentScope, to_publish

    texts = {"calibration.json": as_json(document, indent=2)}
    if document["scope"] == DocumentScope.FULL or (document["scope"] == DocumentScope.PAIRS and committed):
        texts[FILE] = as_json(to_publish(document, committed), indent=2)
    with writing("--output, and run again"):
        # The score of an earlier run must not be taken for the score of this one.
        (directory / FILE).unlink(missing_ok=True)
        for name, text in texts.items():
            (directory / name).write_text(text, "utf-8")
    return [directory / name for name in texts]


def _print(document: dict[str, Any], paths: Sequence[Path], seconds: float) -> None:
    from rich.console import Console
    from rich.text import Text

    from conformance.calibration.document import summary

    console = Console(highlight=False)
    for style, line in [*summary(document, seconds), *(("", f"  {path}") for path in paths)]:
        console.print(Text(printable(line, keep="\n"), style=style), soft_wrap=True)


def _print_moved(lines: Sequence[str]) -> None:
    for line in lines or ["No verdict moved."]:
        click.echo(printable(line))
