"""The job of `check --plan`: what the run would ask, clause by clause, without making it."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.cli.failure import Failure
from conformance.cli.settings import Settings
from conformance.cli.streams import as_file
from conformance.cli.target import named_target, session_of
from conformance.expect import Undecided
from conformance.reference.config import ReferenceConfig
from conformance.rehearsal import CLEAN_UP, DOCTOR, GENERATED_CALLS, SEQUENCES, Rehearsal, like, rehearse
from conformance.reports.clauses import TITLES
from conformance.reports.text import count, printable
from conformance.requirements import UnknownRequirement
from conformance.run import Plan
from conformance.target import ConfigurationFault, Target
from conformance.verdict import Exit

_OWN = {
    DOCTOR: "the address and the tokens, before anything else",
    GENERATED_CALLS: "for clauses 4 and 7",
    SEQUENCES: "for clauses 3, 4 and 8",
    CLEAN_UP: "deletes what the checks left",
}


def foretell(settings: Settings, plan: Plan) -> int:
    """Print how many requests and creations the run of `settings` would make, by clause; return the exit code."""
    target = named_target(settings)
    config, basis = _set_up(settings, target)
    try:
        foreseen = rehearse(plan, target, config, seed=settings.seed)
    except (UnknownRequirement, ConfigurationFault) as fault:
        raise Failure(str(fault)) from None
    _print(foreseen, basis)
    return Exit.CONFORMS


def _set_up(settings: Settings, target: Target) -> tuple[ReferenceConfig, str]:
    usual = ReferenceConfig()
    if settings.base_url is None:
        return usual, "the suite's own reference service"
    session = session_of(settings, target)
    try:
        config = like(session)
    except (Undecided, ConfigurationFault) as reason:
        why = str(reason).rstrip(".")
        return usual, f"the reference service, whose limit is {usual.max_requests}; the target's is not known ({why})"
    finally:
        session.close()
    return config, (
        f"a service like {target.base_url}, which was asked for its settings and its data types: a limit of "
        f"{config.max_requests:,}, {count(len(config.types), 'data type')}, {count(len(config.languages), 'language')}"
    )


def _print(foreseen: Rehearsal, basis: str) -> None:
    console = Console(file=as_file(sys.stdout))
    table = Table("Clause", "", "Requests", "Created", box=None, show_footer=True)
    for column in table.columns[2:]:
        column.justify = "right"
    for heading, requests in foreseen.requests.items():
        about = _OWN.get(heading) or TITLES.get(heading, "")
        table.add_row(heading, about, f"{requests:,}", f"{foreseen.creations[heading]:,}")
    table.columns[0].footer = "Total"
    table.columns[2].footer = f"{sum(foreseen.requests.values()):,}"
    table.columns[3].footer = f"{sum(foreseen.creations.values()):,}"
    console.print(table)
    console.print(Text(printable(f"Rehearsed against {basis}.")), soft_wrap=True)
    console.print("A service that answers otherwise is asked a few times more or less; nothing was created anywhere.")
