"""The selection of `check --last-failed`: what failed or was inconclusive in the last run of the same service."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

import click

from conformance.cli.errors import Failure
from conformance.cli.options import Options
from conformance.cli.recorded import RecordedRun, document, read
from conformance.http.creations.journal_file import in_folders
from conformance.model.report import SCHEMA_VERSION
from conformance.model.text import count
from conformance.model.verdict import Verdict
from conformance.reports.failures import failures
from conformance.reports.files import DATA
from conformance.run.all_checks import all_checks
from conformance.run.calls import scenarios_of
from conformance.run.items import check_name, requirement_of


def last_failed(options: Options, chosen: frozenset[str]) -> Options:
    """Return `options` with the selection of --last-failed, and print it; raise Failure if there is no earlier run.

    Of the `chosen` requirements, those are repeated that counted as failures in that run, also waived ones, and those
    that were inconclusive; and those whose checks made the calls that showed it. If there are none, nothing is left
    out: a run that tests nothing is never green.
    """
    if options.base_url is None:
        raise click.UsageError("--last-failed needs the BASE_URL of a service: add it.")
    runs = {started: file for file, started in _runs(options)}
    if not runs:
        places = " or ".join(map(str, _places(options)))
        raise Failure(
            f"--last-failed: there is no earlier run of {options.base_url} under {places}.",
            remedy="Run check without --last-failed first, or name the place of the earlier runs with --output.",
        )
    file = runs[max(runs)]
    run = read(file)
    failed = {row.id for row, _ in failures(run.report)}
    ids = [
        row.id
        for row in run.report.requirements
        if row.id in chosen and (row.id in failed or row.verdict == Verdict.INCONCLUSIVE)
    ]
    sentence = f"Repeating {count(len(ids), 'requirement')} that failed or could not be decided in {file.parent}"
    showing = [each for each in dict.fromkeys(_whose_calls_show(ids, run)) if each in chosen and each not in ids]
    if showing:
        sentence += f", and {len(showing)} whose calls showed it"
    if not ids:
        sentence = f"Nothing failed or was inconclusive in {file.parent}: nothing is left out"
    if not options.quiet:
        click.echo(f"{sentence}.", err=True)
    return replace(options, only=(*ids, *showing) or options.only)


def _whose_calls_show(ids: Collection[str], run: RecordedRun) -> Iterator[str]:
    """Yield the requirements whose checks make the calls of the findings on `ids`: rules judge the calls of others."""
    shown = {each for row in run.report.requirements if row.id in ids for one in row.findings for each in one.exchanges}
    makers = {entry.get("_check") for entry in run.evidence["log"]["entries"] if entry["_id"] in shown}
    # One check is enough for the calls of a scenario that several read, at best a check that is repeated anyway.
    for item in sorted(all_checks(), key=lambda item: requirement_of(item).id not in ids):
        made = makers.intersection([check_name(item), *(each.name for each in scenarios_of(item))])
        if made:
            makers -= made
            yield requirement_of(item).id


def _places(options: Options) -> list[Path]:
    return list(dict.fromkeys([Path("reports"), *([options.output.parent] if options.output else [])]))


def _runs(options: Options) -> Iterator[tuple[Path, str]]:
    """Yield the report of each earlier run of the service, and when it started."""
    for place in _places(options):
        for file in in_folders(place, DATA):
            try:
                report = document(file)
            except Failure:
                continue
            target, started = report.get("target"), report.get("started")
            same = isinstance(target, dict) and target.get("base_url") == options.base_url
            if same and isinstance(started, str) and report.get("schema_version") == SCHEMA_VERSION:
                yield file, started
