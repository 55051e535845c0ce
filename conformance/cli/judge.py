"""`drsi-conformance judge`: the judge on traffic that another program recorded."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from conformance.cli import specification as of_reader
from conformance.cli.check_options import CheckOptions
from conformance.cli.errors import Failure, writing
from conformance.cli.option import with_options
from conformance.cli.values import PATH, Parsed
from conformance.model.requirements import catalogue
from conformance.model.verdict import Blame, Exit, Outcome

_LINES = "-"
_HAR = "Name a HAR file, a folder of *.har files, or - for lines that each hold an entry of HAR."


@click.command("judge", short_help="Judge traffic that another program recorded.")
@click.argument("recording", type=PATH, metavar="RECORDING")
@click.option(
    "--base-url",
    type=Parsed(lambda values, text: values.checked_base_url(text)),
    metavar="URL",
    help="Address of the service.  [default: where its calls are, if at one]",
)
@with_options(CheckOptions, "format")
@of_reader.option
@click.option("--output", type=PATH, metavar="DIR", help="Folder of the report.  [default: reports/traffic-<time>]")
def command(
    recording: Path,
    *,
    base_url: str | None,
    format: tuple[str, ...],
    specification: Path | None,
    output: Path | None,
) -> int:
    """Judge the calls that a browser, a gateway or a test tool recorded as HAR, without a call of the suite.

    RECORDING is a HAR file, a folder of them, or - for standard input with one entry of HAR in each line. What the
    calls do not decide is not observed: the outcome is never "conforms". Tokens and personal values are replaced before
    anything is written.

    Exit code 0: no call shows a violation. 1: one does. 2: the recording cannot be read.
    """
    from rich.console import Console

    from conformance.http.secrets.written import kind_in
    from conformance.model.errors import ConfigurationFault
    from conformance.reports import basis, files, terminal
    from conformance.run.documents import Documents
    from conformance.run.plan import Plan
    from conformance.run.traffic import judge_recording

    copy = of_reader.read(specification, catalogue().edition.digest)
    plan = Plan(options={"recording": recording.name})
    try:
        found = judge_recording(_entries(recording), base_url or "", plan)
    except ConfigurationFault as fault:
        raise Failure(f"{recording}: {fault}", remedy=fault.remedy, cause=Blame.CONFIGURATION) from None
    documents = Documents(found.run)
    directory = output or Path("reports") / f"traffic-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    with writing("--output"):
        hidden = partial(kind_in, tokens=found.sought)
        paths = files.write(directory, documents.data, documents.evidence, format, kind_in=hidden, copy=copy)
    terminal.print_summary(Console(), basis.quoting(documents.shown, copy), paths)
    failed = found.run.report.outcome is Outcome.DOES_NOT_CONFORM
    return Exit.DOES_NOT_CONFORM if failed else Exit.CONFORMS


def _entries(recording: Path) -> Iterator[dict[str, Any]]:
    """Yield the entries of a recording; raise ConfigurationFault for a file that is no HAR."""
    from conformance.model.errors import ConfigurationFault

    if str(recording) == _LINES:
        for number, line in enumerate(sys.stdin, 1):
            if line.strip():
                yield _object(line, f"line {number}")
        return
    folder = sorted(recording.glob("*.har")) if recording.is_dir() else [recording]
    if not folder:
        raise ConfigurationFault("Expected HAR files; the folder has none.", remedy=_HAR)
    for path in folder:
        try:
            text = path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ConfigurationFault(f"{path} cannot be read: {reason}.", remedy=_HAR) from None
        log = _object(text, path.name).get("log")
        entries = log.get("entries") if isinstance(log, dict) else None
        if not isinstance(entries, list):
            raise ConfigurationFault(f"Expected log.entries in {path.name}; received none.", remedy=_HAR)
        yield from entries


def _object(text: str, where: str) -> dict[str, Any]:
    """Return a JSON object; raise ConfigurationFault for anything else."""
    from conformance.model.errors import ConfigurationFault

    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationFault(f"Expected JSON in {where}; received none: {error}.", remedy=_HAR) from None
    if not isinstance(value, dict):
        raise ConfigurationFault(f"Expected an object in {where}; received {type(value).__name__}.", remedy=_HAR)
    return value
