"""`check --plan`: how many requests and creations a run would make, by clause, counted in a run over a stand-in."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace

import pytest
from rich.console import Console
from rich.table import Table

from conformance.cli.settings import Settings
from conformance.cli.streams import as_file
from conformance.cli.target import named_target, session_of
from conformance.client.public import PublicClient
from conformance.http.recorder import is_clean_up
from conformance.model.exchange import Operation
from conformance.model.findings import ConfigurationFault, NotDecided
from conformance.model.target import Token
from conformance.model.text import printable
from conformance.model.verdict import Exit
from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.data_types import numbered
from conformance.reports.clauses import TITLES, heading_of
from conformance.runner.in_process import by_calls, session_over
from conformance.runner.plugin import Progress, check_name, demand
from conformance.runner.run import Plan, check
from conformance.traffic.session import Session


class _Clauses(dict[str, str]):
    """The heading of each check that runs, by the check's name."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.update((check_name(item), heading_of(demand(item).clause)) for item in session.items)


def foretell(settings: Settings, plan: Plan) -> int:
    """Print how many requests and creations the run of `settings` would make, by clause; return the exit code."""
    target = named_target(settings)
    config, basis = ReferenceConfig(), "the suite's own reference service"
    if settings.base_url is not None:
        with closing(session_of(settings, target)) as session:
            try:
                config = _like(session)
                basis = f"a service like {target.base_url}, with a limit of {config.max_requests:,}"
            except (NotDecided, ConfigurationFault) as reason:
                basis += f"; the limit of the target is not known ({str(reason).rstrip('.')})"
    users = (User("first"), User("second"))[: 2 if target.other else 1]
    config = by_calls(replace(config, users=users, seed=settings.seed), settings.seed)
    user, other = [*map(Token, config.tokens), None][:2]
    stand_in = replace(target, base_url=f"http://plan.test{config.path_prefix}", user=user, other=other)
    clauses = _Clauses()
    with closing(session_over(build_app(config), stand_in, seed=settings.seed, in_turn=False)) as session:
        check(session, plan, Progress(), plugins=[clauses])
    requests, creations = Counter(dict.fromkeys(["doctor", *sorted(clauses.values())], 0)), Counter[str]()
    for exchange in session.record.in_order():
        heading = "clean-up" if is_clean_up(exchange) else clauses.get(exchange.check, exchange.check)
        requests[heading] += 1
        made = (
            exchange.operation is Operation.CREATE and exchange.response is not None and exchange.response.status == 200
        )
        creations[heading] += made
    table = Table("Clause", "", box=None, show_footer=True)
    table.columns[0].footer = "Total"
    table.add_column("Requests", f"{requests.total():,}", justify="right")
    table.add_column("Created", f"{creations.total():,}", justify="right")
    for heading, number in requests.items():
        table.add_row(heading, TITLES.get(heading, ""), f"{number:,}", f"{creations[heading]:,}")
    console = Console(file=as_file(sys.stdout))
    console.print(table)
    told = f"Counted in a run over {basis}. A service that answers otherwise is asked a few times more or less."
    console.print(printable(told), markup=False, highlight=False, soft_wrap=True)
    return Exit.CONFORMS


def _like(session: Session) -> ReferenceConfig:
    """Return a service with the target's limit, languages and number of data types; raise NotDecided without them."""
    session.begin("plan")
    visitor, usual = PublicClient(session), ReferenceConfig()
    languages = visitor.settings_document().get("supportedLanaguages")
    spoken = [each for each in languages if isinstance(each, str) and each] if isinstance(languages, list) else []
    return replace(
        usual,
        max_requests=visitor.limit(),
        languages=tuple(dict.fromkeys(spoken)) or usual.languages,
        data_types=numbered(min(len(visitor.types()), 20_000)),
    )
