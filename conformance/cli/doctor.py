"""`drsi-conformance doctor`: tests whether a run can begin."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.check_options import CheckOptions
from conformance.cli.errors import explained
from conformance.cli.local_services import application, demand_one_target, embedded
from conformance.cli.option import with_options
from conformance.cli.options import Options
from conformance.cli.target_options import TargetOptions
from conformance.model.printable import printable
from conformance.model.verdict import Blame, Exit

if TYPE_CHECKING:
    from conformance.run.doctor import Diagnosis


@click.command("doctor", short_help="Test whether a run can begin, and what to fix first.")
@with_options(TargetOptions)
@with_options(CheckOptions, "app", "app_host")
@click.pass_context
def command(context: click.Context, /, **_: Any) -> int:
    """Test the address, TLS, JSON and the tokens, with fewer than ten requests that change nothing.

    Exit code 0: a run can begin; 2: the configuration has to be fixed; 3: the service cannot be reached.
    """
    given = Options.of(context)
    demand_one_target(given)
    with application(given) as (options, _process), embedded(options) as service:
        from conformance.run.doctor import examine, gather
        from conformance.run.doctor_settings import settings
        from conformance.scenarios.api import Api

        with closing(options.session(options.target(service))) as session, explained(session.secrets.text):
            full = options.profile != "public"
            if not full:
                session.credentials.clear()
            found = examine(session, needs_token=full)
            gather(found, session, settings(Api(session), needs_token=full))
    _print(found, session.secrets.text)
    return Exit.CONFORMS if found.fatal is None else found.fatal.exit_code or Exit.USAGE


def _print(found: Diagnosis, clean: Callable[[str], str]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=sys.stdout)

    def line(mark: str, style: str, text: str) -> None:
        console.print(Text.assemble((f"{mark:<9}", style), printable(clean(text))), soft_wrap=True)

    for name, fact in found.facts:
        line("ok", "green", f"{name}: {fact}")
    incomplete = False
    for problem in found.problems:
        serious = problem.exit_code is not None or problem.blame is not Blame.CONFIGURATION
        incomplete |= serious
        line("problem" if serious else "note", "bold red" if serious else "yellow", problem.message)
        line("  cause", "dim", problem.blame)
        line("  fix", "dim", problem.remedy)
    ready = "A run can begin, but much of it will be inconclusive." if incomplete else "A run can begin."
    console.print(ready if found.fatal is None else "A run cannot begin until this is fixed.")
