"""A run as a command makes it: folder, journal and progress before it, files and summary after it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from conformance import NAME, __version__
from conformance.cli import specification
from conformance.cli.cleanup import cleanup_words
from conformance.cli.errors import explained, writing
from conformance.cli.options import Options
from conformance.cli.output import OutputFolder, output_directory
from conformance.cli.progress import progress_of
from conformance.cli.signals import Interruption
from conformance.cli.visits import EarlierRun
from conformance.cli.waive import FILE_NAME as WAIVERS
from conformance.http.commands import reset_account
from conformance.http.creations.journal import Journal
from conformance.http.creations.owners import marks_of, sealing
from conformance.http.secrets.written import kind_in
from conformance.http.session import Session
from conformance.model.printable import printable
from conformance.model.requirements import catalogue
from conformance.model.target import Target
from conformance.model.text import count, shorten
from conformance.reports import again, basis, outcome, terminal
from conformance.run import notes
from conformance.run.check import check
from conformance.run.documents import Documents
from conformance.run.explanations import way_of
from conformance.run.live_evidence import live_evidence
from conformance.run.plan import Plan

if TYPE_CHECKING:
    from conformance.model.specification import Specification
    from conformance.reference.process import ReferenceProcess


def checked(
    options: Options,
    plan: Plan,
    service: ReferenceProcess | None,
    interruption: Interruption,
    *,
    earlier: EarlierRun | None = None,
) -> Documents:
    """Run the checks, write the report, and print the summary.

    The run goes on with the request that an `earlier` one left.
    """
    with ExitStack() as stack:
        copy = specification.read(options.specification, catalogue().edition.digest)
        target = options.target(service)
        directory = options.output or output_directory(target, datetime.now(UTC))
        folder = OutputFolder(directory)
        key = options.pseudonym_key
        if key is not None and folder.directory.resolve() in key.resolve().parents:
            raise click.UsageError(f"--pseudonym-key: {key} is in the folder of the report. Name a file outside of it.")
        stack.enter_context(folder)
        began = interruption.began + _seconds_waited(options, target)
        session = options.session(target, Journal(folder.journal, seal=sealing()), began=began)
        stack.callback(session.close)

        remedy = again.to_delete(plan.options, target.base_url)

        def left() -> str:
            journal = session.journal
            folder.keep_journal = journal.left_behind > 0 or journal.left not in (None, earlier and earlier.left)
            return cleanup_words(folder.journal, remedy) if folder.keep_journal else ""

        nothing = "Nothing was decided, and no report was written."
        stack.enter_context(explained(session.secrets.text, left, nothing_decided=nothing))
        with writing("--output", "The service was not contacted."):
            session.journal.begin(target.base_url, datetime.now(UTC), marks_of(target))
        if earlier is not None:
            session.begin_with(earlier.calls)
        stack.enter_context(live_evidence(folder.directory, session, plan))
        documents = _documents(options, plan, session, interruption)
        if options.keep_quotes and copy is not None and copy.edition == catalogue().edition.digest:
            documents.run.report = replace(documents.run.report, quoted=basis.words_of(documents.run.report, copy))
        scan = partial(kind_in, tokens=session.secrets.sought)
        paths = folder.write(documents, options.format, scan, copy)
        if earlier is not None:
            earlier.settle(session, complete=documents.run.report.complete)
    if options.repeat == 1:  # else the joined report is printed
        _print_summary(documents, paths, options, folder, scan, copy)
    return documents


def _seconds_waited(options: Options, target: Target) -> float:
    """Wait for the service as --wait asks; return how long it took: that is no time of the run."""
    if not options.wait or options.base_url is None:
        return 0.0
    began = time.perf_counter()
    if not options.quiet:
        click.echo(f"Waiting until {target.base_url} answers, at most {options.wait:g} s", err=True)
    trouble = options.waited(target)
    if trouble and not options.quiet:
        click.echo(f"It did not answer in that time: {printable(trouble)}.", err=True)
    return time.perf_counter() - began


def _documents(options: Options, plan: Plan, session: Session, interruption: Interruption) -> Documents:
    """Run the checks and return the documents of the run."""
    progress = progress_of(options.quiet)
    with progress.shown():
        progress.exchanges = lambda: len(session.record)

        def stop() -> None:
            progress.interrupted()
            session.stop()

        if options.resets:
            progress.stage("Emptying the account with --reset-command")
            reset_account(options.reset_command or "")
        interruption.last_words = lambda: last_words(session, again.to_delete(plan.options, session.target.base_url))
        interruption.stop = stop
        if interruption.received:  # Python drops a KeyboardInterrupt raised inside a callback or __del__
            raise KeyboardInterrupt
        progress.note(_headline(options, plan, session.target))
        for note in plan.notes:
            progress.note(f"{note.message} {note.remedy}")
        progress.stage("Testing the address and the tokens")

        def end() -> None:
            # The clean-up is short and necessary, so a signal changes nothing any more.
            interruption.stop = progress.interrupted
            if left := len(session.journal.live) + session.journal.pending:
                progress.stage(f"Deleting {count(left, 'data request')} that the run created")

        return Documents(check(session, plan, progress, before_clean_up=end))


def _headline(options: Options, plan: Plan, target: Target) -> str:
    base_url = target.base_url
    what = f"{options.app} at {base_url}" if options.app else base_url
    what = what if options.base_url else f"{base_url}, the suite's own reference service"
    details = [*way_of(target), f"profile {options.profile}"]
    details += [f"set {options.set}"] if options.set else []
    details += [f"only the checks of {', '.join(options.only)}"] if options.only else []
    details += [f"only {shorten(', '.join(options.select))}"] if options.select else []
    details += [f"without {', '.join(options.deselect)}"] if options.deselect else []
    details += ["strict"] if options.strict else []
    details += [f"fail on {', '.join(options.fail_on)}"] if options.fail_on else []
    details += [f"{count(len(plan.waivers), 'waiver')} of {options.waivers or WAIVERS}"] if plan.waivers else []
    details += ["anonymous"] if options.anonymous else []
    details += [f"seed {options.seed}"]
    return f"{NAME} {__version__}: checking {what} ({'; '.join(details)})"


def last_words(session: Session, remedy: str = "") -> str:
    """Return the text that is printed before a second signal ends the process."""
    journal = session.journal
    left = journal.left_behind + journal.pending
    if not left:
        return "\nStopped at once. Nothing is left behind; no report was written.\n"
    clean = session.secrets.text
    addresses = [notes.address_of(session, request_id) for request_id in list(journal.live)]
    lines = [f"  {clean(address)}" for address in addresses if address]
    what = f"{count(left, 'data request')} may be left behind."
    what += f" {cleanup_words(journal.path, remedy)}" if journal.path else ""
    return "\n".join([f"\nStopped at once; no report was written. {what}", *lines, ""])


def _print_summary(
    documents: Documents,
    paths: list[Path],
    options: Options,
    folder: OutputFolder,
    scan: Callable[[Path], str],
    copy: Specification | None,
) -> None:
    """Print the summary; where that crashes, write the files again, which then say so."""
    console = Console()
    try:
        with console.capture() as captured:
            terminal.print_summary(console, basis.quoting(documents.shown, copy), paths, debug=options.debug)
    except Exception as error:
        documents.crashed(error, "the summary on the terminal")
        folder.write(documents, options.format, scan, copy)
        click.echo(outcome.crash_sentence(documents.shown), err=True)
    else:
        sys.stdout.write(captured.get())
