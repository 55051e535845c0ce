"""`check --repeat N`: whole runs one after another, each in a folder of its own, and the report that joins them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console

from conformance.cli import specification
from conformance.cli.errors import Failure, writing
from conformance.cli.options import Options
from conformance.cli.output import output_directory
from conformance.cli.recorded import RecordedRun, read
from conformance.cli.signals import Interruption
from conformance.model.report import Report, report_of
from conformance.model.requirements import catalogue
from conformance.model.specification import Specification
from conformance.model.verdict import Blame, Exit
from conformance.reports import basis, files, outcome, summary, terminal
from conformance.run.documents import Documents
from conformance.run.repetitions import NoRepetitions, folder_of, joined


def check_repeatedly(
    options: Options, interruption: Interruption, run: Callable[[Options, Interruption], Documents]
) -> Report:
    """Make the runs, write the joined report into the folder of the command, print its summary, and return it.

    After an interruption, or a run that left data requests behind, no further one begins: the joined report is not
    complete.
    """
    directory = options.output or output_directory(options.target(), datetime.now(UTC))
    copy = specification.read(options.specification, catalogue().edition.digest)
    with writing("--output", "The service was not contacted."):
        directory.mkdir(parents=True, exist_ok=True)
        files.remove(directory / name for name in files.FILE_NAMES)
    runs: list[RecordedRun] = []
    for number in range(1, options.repeat + 1):
        if number > 1:
            interruption.began = time.perf_counter()
        folder = directory / folder_of(number)
        done = run(replace(options, output=folder), interruption).shown
        if not options.quiet:
            said = f"{outcome.headline(done)}. {summary.numbers_sentence(done)}"
            click.echo(f"Repetition {number} of {options.repeat}: {said}", err=True)
        runs.append(read(folder, needs_evidence=True))
        if interruption.received or done.summary.left_behind:
            break
    return _written(options, directory, runs, copy)


def _written(options: Options, directory: Path, runs: list[RecordedRun], copy: Specification | None) -> Report:
    try:
        data, evidence = joined([each.data for each in runs], [each.evidence for each in runs])
    except NoRepetitions as reason:  # the clock of this machine was set back between them
        raise Failure(
            f"The repetitions cannot be joined: {reason}, as their moments say.",
            cause=Blame.CONFIGURATION,
            remedy="Let this machine synchronise its clock (NTP), which was set back meanwhile, and run again.",
            exit_code=Exit.INCONCLUSIVE,
            state=f"Each repetition has a report of its own in {directory}.",
        ) from None
    with writing("--output, or free some space, and run again", "The runs finished, but they were not joined."):
        paths = files.write(directory, data, evidence, options.format, copy=copy)
    report = report_of(data)
    terminal.print_summary(Console(), basis.quoting(report, copy), paths, debug=options.debug)
    return report
