"""The main job: prepare, run, write, and tell what came of it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console

from conformance import NAME, __version__
from conformance.cli.collector import WhatIsLoaded, set_aside
from conformance.cli.failure import Failure, SuiteFailure
from conformance.cli.html_log import HtmlLog
from conformance.cli.interrupt import Interruption
from conformance.cli.output import Output
from conformance.cli.progress import progress_of
from conformance.cli.settings import Settings
from conformance.cli.streams import as_file
from conformance.cli.target import session_of, target_of
from conformance.http.journal import Journal
from conformance.http.redaction import Redactor
from conformance.model.findings import ConfigurationFault
from conformance.model.requirements import UnknownRequirement
from conformance.model.target import Target
from conformance.model.text import count
from conformance.model.verdict import Blame, Exit
from conformance.reference.process import ReferenceProcess
from conformance.reports import digest, files
from conformance.reports.terminal import print_summary
from conformance.runner import notes
from conformance.runner.run import CannotBegin, Plan, Run, check, output_directory
from conformance.traffic.session import Session

NO_REPORT = "No report was written."
NOTHING_DECIDED = "Nothing was decided, and no report was written."


def perform(settings: Settings, service: ReferenceProcess | None, interruption: Interruption) -> int:
    """Check what the settings name and return the exit code; raise Failure when there are no verdicts."""
    plan = plan_of(settings)
    with ExitStack() as stack:
        target = target_of(settings, service)
        directory = settings.output or output_directory(target, datetime.now(UTC))
        output = stack.enter_context(Output(directory, settings.html_log))
        session = session_of(settings, target, Journal(output.journal), began=interruption.began)
        stack.callback(session.close)
        stack.enter_context(_explained(session, output))
        run, log = _run(settings, plan, session, interruption, output)
        paths = _write(settings, run, log, output)
    _print(run, paths, settings, output)
    set_aside()  # the interpreter calls the collector again as it ends
    return run.report.exit_code


def plan_of(settings: Settings) -> Plan:
    """Return what is asked of the run; raise Failure for a selection of nothing."""
    plan = Plan(
        profile=settings.profile,
        select=settings.select,
        deselect=settings.deselect,
        strict=settings.strict,
        fail_on=settings.fail_on,
        target_kind="service" if settings.base_url else "embedded",
    )
    try:
        plan.selected()
    except (UnknownRequirement, ConfigurationFault) as fault:
        raise Failure(str(fault)) from None
    return plan


@contextmanager
def _explained(session: Session, output: Output) -> Iterator[None]:
    """Turn what can end a run without verdicts into the one message that says why, and keep what is still needed."""
    try:
        yield
    except Exception as error:
        output.keep_journal = session.journal.left_behind > 0
        clean = Redactor(session.secrets()).text
        aftermath = [f"What the run left behind is named in {output.journal}."] if output.keep_journal else []
        match error:
            case Failure():
                raise
            case CannotBegin(problem=problem):
                raise Failure(
                    clean(problem.message),
                    remedy=clean(problem.remedy),
                    blame=problem.blame,
                    exit_code=problem.exit_code or Exit.USAGE,
                    aftermath="\n".join([NOTHING_DECIDED, *aftermath]),
                ) from None
            case ConfigurationFault():
                raise Failure(
                    clean(str(error)),
                    remedy=clean(error.remedy),
                    blame=Blame.CONFIGURATION,
                    aftermath="\n".join([NOTHING_DECIDED, *aftermath]),
                ) from None
        raise SuiteFailure(error, redact=clean, aftermath="\n".join(aftermath)) from None


def _run(
    settings: Settings, plan: Plan, session: Session, interruption: Interruption, output: Output
) -> tuple[Run, str | None]:
    """Run the checks and return what came of it, with the text of pytest-html's log where one was asked for."""
    with ExitStack() as stack:
        progress = stack.enter_context(progress_of(settings.quiet))
        progress.exchanges = lambda: len(session.record)

        def stop() -> None:
            progress.interrupted()
            session.stop()

        interruption.last_words = lambda: _last_words(session)
        interruption.stop = stop
        if interruption.came:  # Python ignores a KeyboardInterrupt that a signal raises inside a callback or __del__
            raise KeyboardInterrupt
        progress.begin(_beginning(settings, plan, session.target))
        progress.stage("Looking at the address and the tokens")
        plugins: list[object] = [WhatIsLoaded()]
        if settings.html_log is not None:
            # Made elsewhere, so that nothing is left where the run comes to nothing.
            place = stack.enter_context(tempfile.TemporaryDirectory(prefix=".log-", dir=output.directory))
            plan = replace(plan, html_log=Path(place) / "log.html")
            plugins.append(HtmlLog(session))

        def end() -> None:
            # What is left is short and has to be done: a signal is acknowledged, and changes nothing.
            interruption.stop = progress.interrupted
            if left := len(session.journal.live) + session.journal.pending:
                progress.stage(f"Deleting {count(left, 'data request')} that the run created")

        run = check(session, plan, progress, plugins=plugins, before_clean_up=end)
        log = None
        with run.crashing("the log of the checks"):
            log = _log(plan, session)
        return run, log


def _log(plan: Plan, session: Session) -> str | None:
    if plan.html_log is None or not plan.html_log.exists():
        return None
    return Redactor(session.secrets()).text(plan.html_log.read_text("utf-8"))


def _write(settings: Settings, run: Run, log: str | None, output: Output) -> dict[str, Path]:
    """Write the files of a run; a view that crashes is left out, and the others say so."""
    output.keep_journal = run.report.summary.left_behind > 0
    formats, evidence = list(settings.formats), None
    with run.crashing("evidence.har"):
        evidence = run.evidence
    while True:
        try:
            paths = files.write(output.directory, run.data, evidence, formats)
            break
        except files.ViewCrashed as crashed:
            formats.remove(crashed.kind)
            run.crashed(crashed.error, files.NAMES[crashed.kind])
        except OSError as error:
            raise _unwritten(error) from None
    if log is not None and settings.html_log is not None:
        try:
            settings.html_log.write_text(log, "utf-8")
        except OSError as error:
            files.remove(paths.values())
            raise _unwritten(error) from None
        paths["log"] = settings.html_log
    if output.keep_journal:
        paths["journal"] = output.journal
    return paths


def _unwritten(error: OSError) -> Failure:
    return Failure(
        f"The run came to its end, but it cannot be written: {error}.",
        remedy="Make room, or name another place with --output, and run again.",
        aftermath=NO_REPORT,
    )


def _print(run: Run, paths: dict[str, Path], settings: Settings, output: Output) -> None:
    """Print the summary as a whole; where that crashes, write the files anew, which then say so."""
    console = Console(file=as_file(sys.stdout))
    try:
        with console.capture() as captured:
            print_summary(console, run.data, paths, debug=settings.debug)
    except Exception as error:
        run.crashed(error, "the summary on the terminal")
        paths = {**paths, **_write(settings, run, None, output)}
        click.echo(digest.crash_sentence(run.data), err=True)
    else:
        as_file(sys.stdout).write(captured.get())


def _beginning(settings: Settings, plan: Plan, target: Target) -> str:
    what = target.base_url if settings.base_url else f"{target.base_url}, the suite's own reference service"
    asked = [f"profile {plan.profile}"]
    asked += [f"only {', '.join(plan.select)}"] if plan.select else []
    asked += [f"without {', '.join(plan.deselect)}"] if plan.deselect else []
    asked += ["strict"] if plan.strict else []
    asked += [f"fail on {', '.join(plan.fail_on)}"] if plan.fail_on else []
    asked += [f"seed {settings.seed}"]
    asked += [f"options from {settings.config}"] if settings.config else []
    return f"{NAME} {__version__}: checking {what} ({'; '.join(asked)})"


def _last_words(session: Session) -> str:
    journal = session.journal
    left = journal.left_behind + journal.pending
    if not left:
        return "\nStopped at once. Nothing is left behind; no report was written.\n"
    clean = Redactor(session.secrets()).text
    addresses = [notes.address_of(session, request_id) for request_id in list(journal.live)]
    named = "".join(f"  {clean(address)}\n" for address in addresses if address)
    return (
        f"\nStopped at once; no report was written. {count(left, 'data request')} may be left behind, "
        f"as {journal.path} says:\n{named}"
    )
