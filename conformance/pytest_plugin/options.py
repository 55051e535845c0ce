"""The options of the plugin, as the run that they describe: prepared before a test, and made once."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest

from conformance.application.loading import Name, Unusable, load
from conformance.cli.earlier_runs import settled
from conformance.cli.errors import explained
from conformance.cli.options import Options
from conformance.cli.output import OutputFolder
from conformance.cli.recorded import read
from conformance.cli.waive import load as load_waivers
from conformance.http.creations.journal import Journal
from conformance.http.creations.owners import marks_of, sealing
from conformance.http.secrets.written import kind_in
from conformance.http.session import Session
from conformance.model.errors import ConfigurationFault
from conformance.model.findings import Note
from conformance.model.raised import Raised, assign
from conformance.model.sets import UnknownSet, chosen
from conformance.pytest_plugin.alarms import postponed
from conformance.pytest_plugin.interrupts import ending_calls
from conformance.pytest_plugin.settings import in_own_words, settings_of
from conformance.reports import again
from conformance.reports.files import DEFAULT_FORMATS
from conformance.run.check import check
from conformance.run.conclusion import Frame
from conformance.run.documents import Documents
from conformance.run.judged import judged
from conformance.run.plan import Plan
from conformance.run.progress import ProgressListener
from conformance.run.verify import Unreadable, frame_of, plan_of, recorded_trace
from conformance.trace.trace import Trace


@dataclass(kw_only=True)
class Prepared(ABC):
    """A run whose options are right, before its calls."""

    plan: Plan
    folder: OutputFolder | None
    stack: ExitStack
    """Closes what was opened for the run."""
    paths: list[Path] = field(default_factory=list)
    """The files that the run has written."""

    @abstractmethod
    def made(self, ids: tuple[str, ...]) -> Documents:
        """Make the run of the checks of these requirements, and write its files; without `ids`, of all checks."""

    def written(self, documents: Documents, tokens: list[tuple[str, str]]) -> Documents:
        """Write the files of the run, if they are asked for; raise click.ClickException if they cannot be written."""
        if self.folder is not None:
            self.paths = self.folder.write(documents, DEFAULT_FORMATS, partial(kind_in, tokens=tokens))
        return documents


@dataclass(kw_only=True)
class LiveRun(Prepared):
    """A run that makes calls."""

    config: pytest.Config
    session: Session

    def made(self, ids: tuple[str, ...]) -> Documents:
        """Make the calls, delete what they created, and judge them, also where Ctrl-C ends the calls."""
        # What a time limit of pytest raises could come in the midst of a call, or be taken for the result of a check.
        say, clean = partial(_say, self.config), self.session.secrets.text
        with explained(clean), postponed(self.session.stop), ending_calls(self.session, say):
            plan = replace(self.plan, only=ids, options={**self.plan.options, "only": ids})
            documents = Documents(check(self.session, plan, ProgressListener()))
            return self.written(documents, self.session.secrets.sought)


@dataclass(kw_only=True)
class RecordedRun(Prepared):
    """A recorded run, which needs no network."""

    trace: Trace
    frame: Frame

    def made(self, ids: tuple[str, ...]) -> Documents:
        """Judge the trace again."""
        plan = replace(self.plan, select=ids) if ids else self.plan
        return self.written(Documents(judged(self.trace, plan, self.frame)), [])


def _say(config: pytest.Config, line: str) -> None:
    """Show a line on the terminal."""
    terminal, capture = map(config.pluginmanager.get_plugin, ("terminalreporter", "capturemanager"))
    if terminal is not None:
        with nullcontext() if capture is None else capture.global_and_fixture_disabled():
            terminal.write(f"\n{line}\n", flush=True)


@contextmanager
def usage_errors() -> Iterator[None]:
    """Raise pytest.UsageError for options that no run can begin with."""
    try:
        yield
    except click.ClickException as error:
        text = f"{error.format_message()} {getattr(error, 'remedy', '')}".rstrip()
        raise pytest.UsageError(in_own_words(text)) from None
    except (ConfigurationFault, Unusable) as error:
        raise pytest.UsageError(f"--drsi-app: {error}") from None


def run_of_checks(config: pytest.Config) -> Prepared:
    """Return the run that the settings describe; raise pytest.UsageError for a wrong one."""
    evidence: Path | None = config.option.drsi_evidence
    if config.option.drsi_base_url and evidence:
        raise pytest.UsageError("--drsi-base-url and --drsi-evidence exclude each other. Leave one of them out.")
    with usage_errors():
        given = settings_of(config).params
        if evidence is not None:
            return _recorded(evidence, config)
        if given["base_url"] and given["app"]:
            raise pytest.UsageError("--drsi-base-url and --drsi-app exclude each other. Leave one of them out.")
        return prepared(config, base_url=given["base_url"], app=given["app"])


def _recorded(evidence: Path, config: pytest.Config) -> RecordedRun:
    given, found = settings_of(config).params, read(evidence, needs_evidence=True)
    try:
        trace, frame = recorded_trace(found.data, found.evidence), frame_of(found.data)
        plan = replace(plan_of(found.data), waivers=waivers_of(config))
    except (Unreadable, UnknownSet) as error:
        damage = "".join(f" {each}" for each in getattr(error, "damage", ()))
        raise pytest.UsageError(
            f"--drsi-evidence: {evidence} cannot be judged again: {error}.{damage} 'drsi-conformance verify' says more."
        ) from None
    with ExitStack() as stack:
        folder = stack.enter_context(OutputFolder(given["output"])) if given["output"] else None
        return RecordedRun(plan=plan, folder=folder, stack=stack.pop_all(), trace=trace, frame=frame)


def prepared(config: pytest.Config, *, base_url: str | None, app: Any) -> LiveRun:
    """Return a run of the service at `base_url`; without it, the application `app` is served."""
    context, raised = settings_of(config), list[Raised]()
    is_application = not base_url
    recorded = None if base_url else app if isinstance(app, str) else again.OF_TESTS
    with ExitStack() as stack:
        context.params["base_url"] = base_url or stack.enter_context(_served(app, raised, config))
        options, notes = Options.of(context), tuple[Note, ...]()
        if is_application:  # no proxy leads to it
            options = replace(options, app=options.app or "application")
        if (directory := options.output) is not None:
            if worker := getattr(config, "workerinput", None):
                directory /= worker["workerid"]  # another worker makes a run of its own
            options, notes = settled(replace(options, output=directory))
        if options.app_host is not None and not is_application:
            raise click.UsageError("--drsi-app-host is the host that calls of an application name, and none is served.")
        target = replace(options.target(), is_application=is_application)
        folder = stack.enter_context(OutputFolder(directory)) if directory else None
        journal = Journal(folder.journal, seal=sealing()) if folder else None
        session = options.session(target, journal)
        stack.callback(session.close)
        if journal is not None:
            journal.begin(target.base_url, datetime.now(UTC), marks_of(target))
        plan = Plan(
            profile=options.profile,
            set=chosen(options.set),
            waivers=waivers_of(config),
            options={**options.recorded(), "app": recorded},
            notes=notes,
            explain=partial(assign, raised=raised),
        )
        return LiveRun(plan=plan, folder=folder, stack=stack.pop_all(), config=config, session=session)


def waivers_of(config: pytest.Config) -> tuple[Any, ...]:
    """Return the waivers, which --runxfail switches off; raise UsageError for a wrong setting."""
    file = settings_of(config).params["waivers"]
    return load_waivers(file) if file and not config.option.runxfail else ()


def _served(app: Any, raised: list[Raised], config: pytest.Config) -> AbstractContextManager[str]:
    """Return the context in which an application, or the one that a name names, is served; it gives the address."""
    if app is None:
        raise ConfigurationFault(
            "Nothing says what to check. Set drsi_base_url or drsi_app in pytest.ini, or override the fixture drsi_app."
        )
    from conformance.application.serving import served  # loads uvicorn

    if not isinstance(app, str):
        return served(app, raised.append)
    name = Name.parse(app)
    if str(config.rootpath) not in sys.path:
        sys.path.insert(0, str(config.rootpath))
    return served(load(name), raised.append, path=name.path)


def refuse_workers(config: pytest.Config) -> None:
    """Raise UsageError under pytest-xdist: workers that share the accounts would count each other's data requests."""
    distributes = getattr(config.option, "dist", "no") != "no" or getattr(config.option, "tx", None)
    if distributes or hasattr(config, "workerinput"):
        raise pytest.UsageError(
            "The checks cannot run in several processes of pytest-xdist: they count the data requests of one account, "
            "and judge the record of one run. Add -n 0, or run the checks in a call of pytest of their own."
        )
