"""The plan of a run: the same run over a reference service in this process, with its requests."""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, replace

import pytest

from conformance.client.public import PublicClient
from conformance.http.record import is_clean_up
from conformance.http.session import Session
from conformance.model.clauses import heading_of
from conformance.model.exchange import Operation
from conformance.model.target import Target, Token
from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User, numbered
from conformance.runner.conclusion import Run
from conformance.runner.in_process import by_calls, session_over
from conformance.runner.items import check_name, requirement_of
from conformance.runner.options import Plan
from conformance.runner.plugin import ProgressListener
from conformance.runner.run import check

_MOST_TYPES = 20_000
_HOST = "plan.test"
"""A host that no other text of a run names."""


class _Headings(dict[str, str]):
    """The heading of each check that runs, by the check's name."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.update((check_name(item), heading_of(requirement_of(item).clause)) for item in session.items)


def like(session: Session) -> ReferenceConfig:
    """Return a service with the target's limit, languages and number of data types; raise NotDecided without them."""
    session.begin("plan")
    public_client, usual = PublicClient(session), ReferenceConfig()
    languages = public_client.settings_document().get("supportedLanaguages")
    names = [each for each in languages if isinstance(each, str) and each] if isinstance(languages, list) else []
    return replace(
        usual,
        max_requests=public_client.limit(),
        languages=tuple(dict.fromkeys(names)) or usual.languages,
        data_types=numbered(min(len(public_client.types()), _MOST_TYPES)),
    )


@dataclass(frozen=True)
class Rehearsal:
    """What a run over a stand-in of the service did."""

    counts: dict[str, tuple[int, int]]
    """The numbers of requests and of creations by heading."""
    run: Run
    base_url: str
    """The address of the stand-in."""


def rehearse(target: Target, plan: Plan, seed: int, config: ReferenceConfig) -> Rehearsal:
    """Run `plan` over a service with `config`."""
    users = (User("first"), User("second"))[: 2 if target.other else 1]
    config = by_calls(replace(config, users=users, seed=seed), seed)
    user, other = [*map(Token, config.tokens), None][:2]
    base_url = f"http://{_HOST}{config.path_prefix}"
    stand_in = replace(target, base_url=base_url, user=user, other=other, account_is_for_testing=True)
    headings = _Headings()
    with closing(session_over(build_app(config), stand_in, seed=seed, in_turn=False)) as session:
        run = check(session, plan, ProgressListener(), plugins=[headings])
    counts: defaultdict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for exchange in session.record.in_order():
        heading = "clean-up" if is_clean_up(exchange) else headings.get(exchange.check, exchange.check)
        created = (
            exchange.operation is Operation.CREATE and exchange.response is not None and exchange.response.status == 200
        )
        requests, creations = counts[heading]
        counts[heading] = requests + 1, creations + created
    order = ["doctor", *sorted(headings.values())]
    return Rehearsal({heading: counts[heading] for heading in dict.fromkeys([*order, *counts])}, run, base_url)
