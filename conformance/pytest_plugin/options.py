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
from conformance.model.sets import chosen
from conformance.model.verdict import Blame
from conformance.pytest_plugin.live_run import LiveRun
from conformance.pytest_plugin.output import Output
from conformance.pytest_plugin.plain_run import PlainRun
from conformance.pytest_plugin.recorded_run import RecordedRun
from conformance.pytest_plugin.settings import context_of, settings_of
from conformance.reports import again
from conformance.run.options import Plan
from conformance.run.verify import PLAIN_PYTEST

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
    if config.option.runxfail:
        given.drsi_waivers = None
    try:
        if given.drsi_evidence is None:
            return _with_service(given, config)
        waivers = () if given.drsi_waivers is None else load_waivers(given.drsi_waivers)
        run = RecordedRun(given.drsi_evidence, waivers)
        if given.drsi_output:
            run.output = Output(given.drsi_output)
            run.close = run.output.close
        return run
    except click.ClickException as error:
        raise pytest.UsageError(f"{error.format_message()} {getattr(error, 'remedy', '')}".rstrip()) from None
    except (ConfigurationFault, Unusable) as error:
        raise pytest.UsageError(f"--drsi-app: {error}") from None


def _with_service(given: argparse.Namespace, config: pytest.Config) -> PlainRun:
    with ExitStack() as stack:
        app = None if given.drsi_base_url else given.drsi_app
        session, plan, output = prepared(
            given, config, stack, base_url=given.drsi_base_url, app=app, directory=given.drsi_output
        )
        notes = (_NOTE, *plan.notes) if output else ()
        options = {**plan.options, PLAIN_PYTEST: True}
        run = LiveRun(session, replace(plan, options=options, notes=notes), output)
        run.close = stack.pop_all().close
    return run


def prepared(
    given: argparse.Namespace,
    config: pytest.Config,
    stack: ExitStack,
    *,
    base_url: str | None,
    app: Any,
    directory: Path | None,
    only: tuple[str, ...] = (),
) -> tuple[Session, Plan, Output | None]:
    """Return session and plan of a run, and the output if it is written to `directory`; `stack` closes what is opened.

    Without a `base_url`, the application `app` is served for the run.
    """
    raised: list[Raised] = []
    is_application = not base_url
    recorded = None if base_url else app if isinstance(app, str) else again.OF_TESTS
    given.drsi_base_url = base_url or stack.enter_context(_served(app, raised, config))
    options, notes = options_of(given, is_served=is_application), tuple[Note, ...]()
    if directory is not None:
        options, notes = settled(replace(options, output=directory))
    if options.app_host is not None and not is_application:
        raise click.UsageError("--drsi-app-host is the host that calls of an application name, and none is served.")
    target = replace(options.target(), is_application=is_application)
    output = Output(directory) if directory else None
    if output is not None:
        stack.callback(output.close)
    session = options.session(target, output.journal(target) if output else None)
    stack.callback(session.close)
    plan = Plan(
        set=chosen(options.set),
        only=only,
        waivers=() if given.drsi_waivers is None else load_waivers(given.drsi_waivers),
        options={**options.recorded(), "app": recorded},
        notes=notes,
        explain=partial(assign, raised=raised),
    )
    return session, plan, output


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
