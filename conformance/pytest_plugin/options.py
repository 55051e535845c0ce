"""The options of the plugin, as the run that they describe."""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest

from conformance.application.loading import Name, Unusable, load
from conformance.cli.earlier_runs import settled
from conformance.cli.options import Options
from conformance.cli.waive import load as load_waivers
from conformance.http.session import Session
from conformance.model.errors import ConfigurationFault
from conformance.model.findings import Note
from conformance.model.raised import Raised, assign
from conformance.model.results import Waiver
from conformance.model.sets import chosen
from conformance.model.verdict import Blame
from conformance.pytest_plugin.live_run import LiveRun
from conformance.pytest_plugin.output import Output
from conformance.pytest_plugin.plain_run import PlainRun
from conformance.pytest_plugin.recorded_run import RecordedRun
from conformance.pytest_plugin.settings import context_of, settings_of
from conformance.runner.options import Plan
from conformance.runner.verify import PLAIN_PYTEST

_NOTE = Note(
    Blame.CONFIGURATION,
    "The user's own pytest made this run, so its verdicts cannot be computed again from the evidence.",
    "Certify with a run of 'drsi-conformance check'.",
)


def run_of(config: pytest.Config) -> PlainRun:
    """Return the run that the options describe; raise pytest.UsageError for a wrong one."""
    given = settings_of(config)
    if config.option.drsi_base_url and given.drsi_evidence:
        raise pytest.UsageError("--drsi-base-url and --drsi-evidence exclude each other. Leave one of them out.")
    if given.drsi_base_url and given.drsi_app and not given.drsi_evidence:
        raise pytest.UsageError("--drsi-base-url and --drsi-app exclude each other. Leave one of them out.")
    refuse_workers(config)
    try:
        waivers = () if config.option.runxfail or given.drsi_waivers is None else load_waivers(given.drsi_waivers)
        if given.drsi_evidence is None:
            return _with_service(given, waivers, config)
        run = RecordedRun(given.drsi_evidence, waivers)
        if given.drsi_output:
            run.output = Output(given.drsi_output)
            run.close = run.output.close
        return run
    except click.ClickException as error:
        raise pytest.UsageError(f"{error.format_message()} {getattr(error, 'remedy', '')}".rstrip()) from None
    except (ConfigurationFault, Unusable) as error:
        raise pytest.UsageError(f"--drsi-app: {error}") from None


def _with_service(given: argparse.Namespace, waivers: tuple[Waiver, ...], config: pytest.Config) -> PlainRun:
    raised: list[Raised] = []
    with ExitStack() as stack:
        served = not given.drsi_base_url
        if served:
            given.drsi_base_url = stack.enter_context(served_application(given.drsi_app, raised, config))
        options, notes = after_earlier_runs(options_of(given, is_served=served), given.drsi_output)
        session, output = opened(options, given.drsi_output, stack, is_application=served)
        plan = Plan(
            set=chosen(options.set),
            waivers=waivers,
            options={**options.recorded(), "app": given.drsi_app, PLAIN_PYTEST: True},
            notes=(_NOTE, *notes) if output else (),
            explain=partial(assign, raised=raised),
        )
        run = LiveRun(session, plan, output)
        run.close = stack.pop_all().close
    return run


def after_earlier_runs(options: Options, directory: Path | None) -> tuple[Options, tuple[Note, ...]]:
    """Return the options of a run, and the notes on what earlier runs left, if they are written beside `directory`."""
    return settled(replace(options, output=directory)) if directory else (options, ())


def opened(
    options: Options, directory: Path | None, stack: ExitStack, *, is_application: bool
) -> tuple[Session, Output | None]:
    """Return the session of a run, and the output if the run is written to `directory`; `stack` closes both."""
    if options.app_host is not None and not is_application:
        raise click.UsageError("--drsi-app-host is the host that calls of an application name, and none is served.")
    target = replace(options.target(), is_application=is_application)
    output = Output(directory) if directory else None
    if output is not None:
        stack.callback(output.close)
    session = options.session(target, output.journal(target) if output else None)
    stack.callback(session.close)
    return session, output


def served_application(app: Any, raised: list[Raised], config: pytest.Config) -> AbstractContextManager[str]:
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


def options_of(given: argparse.Namespace, *, is_served: bool = False) -> Options:
    """Return the settings as the options of `check`; raise click.UsageError for a wrong one.

    No proxy leads to an application that is served here.
    """
    options = Options.of(context_of(given))
    return replace(options, app=options.app or "application") if is_served else options


def refuse_workers(config: pytest.Config) -> None:
    """Raise UsageError under pytest-xdist: workers that share the accounts would count each other's data requests."""
    distributes = getattr(config.option, "dist", "no") != "no" or getattr(config.option, "tx", None)
    if distributes or hasattr(config, "workerinput"):
        raise pytest.UsageError(
            "The checks cannot run in several processes of pytest-xdist: they count the data requests of one account, "
            "and judge the record of one run. Add -n 0, or run the checks in a call of pytest of their own."
        )
