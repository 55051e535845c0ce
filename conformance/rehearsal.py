"""What a run will ask, by clause: found by rehearsing it against the suite's own service, set up like the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from conformance.inprocess import by_calls, session_over
from conformance.plugin import Progress, check_name, demand
from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.data_types import numbered
from conformance.reports.clauses import heading_of
from conformance.run import Plan, check
from conformance.target import Target, Token
from conformance.traffic.exchange import Exchange, Operation
from conformance.traffic.recording import is_clean_up
from conformance.traffic.session import Session
from conformance.visitor import Visitor

DOCTOR = "doctor"
GENERATED_CALLS = "generated calls"
SEQUENCES = "sequences"
CLEAN_UP = "clean-up"

_MOST_TYPES = 20_000


@dataclass(frozen=True)
class Rehearsal:
    """How many requests and creations a run makes under each heading of the specification, in their order.

    Four headings are the suite's own: DOCTOR, what is looked at before the checks; GENERATED_CALLS and SEQUENCES, which
    several clauses read; and CLEAN_UP, what deletes the rest.
    """

    requests: Mapping[str, int]
    creations: Mapping[str, int]


@dataclass
class _Clauses:
    """Notes the clause of each check."""

    of: dict[str, str] = field(default_factory=dict)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.of = {check_name(item): heading_of(demand(item).clause) for item in session.items}


def like(session: Session) -> ReferenceConfig:
    """Return the set-up of a service with the target's limit, languages and number of types; two requests ask for it.

    Raises Undecided or ConfigurationFault where the target does not say.
    """
    session.begin("plan")
    visitor = Visitor(session)
    languages = visitor.settings_document().get("supportedLanaguages")
    spoken = [each for each in languages if isinstance(each, str) and each] if isinstance(languages, list) else []
    usual = ReferenceConfig()
    return replace(
        usual,
        max_requests=visitor.limit(),
        languages=tuple(dict.fromkeys(spoken)) or usual.languages,
        data_types=numbered(min(len(visitor.types()), _MOST_TYPES)),
    )


def rehearse(plan: Plan, target: Target, config: ReferenceConfig, *, seed: int) -> Rehearsal:
    """Make the run of `plan` in this process, with the budget of `target` and a second user only where it has one."""
    users = (User("rehearsing"), User("another"))[: 2 if target.other else 1]
    config = by_calls(replace(config, users=users, seed=seed), seed)
    tokens = [*map(Token, config.tokens), None][:2]
    stand_in = replace(target, base_url=f"http://rehearsal.test{config.path_prefix}", user=tokens[0], other=tokens[1])
    session = session_over(build_app(config), stand_in, seed=seed, in_turn=False)
    clauses = _Clauses()
    try:
        check(session, plan, Progress(), plugins=[clauses])
    finally:
        session.close()
    return _counted(session.record.in_order(), clauses.of)


def _counted(exchanges: list[Exchange], clauses: Mapping[str, str]) -> Rehearsal:
    requests: Counter[str] = Counter({DOCTOR: 0} | dict.fromkeys(sorted(set(clauses.values())), 0))
    creations: Counter[str] = Counter()
    for exchange in exchanges:
        heading = CLEAN_UP if is_clean_up(exchange) else clauses.get(exchange.check, exchange.check)
        requests[heading] += 1
        creations[heading] += exchange.operation is Operation.CREATE and _made_one(exchange)
    return Rehearsal(requests, creations)


def _made_one(exchange: Exchange) -> bool:
    return exchange.answer is not None and exchange.answer.status == 200
