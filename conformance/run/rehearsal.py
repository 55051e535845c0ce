"""A rehearsal: the run that a plan describes, over a reference service in this process, with its requests.

Nothing is sent, and nothing is executed that the options name: the stand-in completes requests itself.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, replace

from conformance.http.creations.journal import is_clean_up
from conformance.model.clauses import heading_of
from conformance.model.exchange import Operation
from conformance.model.target import Target, Token
from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User
from conformance.run.check import check
from conformance.run.conclusion import FinishedRun
from conformance.run.in_process import ByTheService, by_calls, session_over
from conformance.run.plan import Plan
from conformance.run.progress import ProgressListener

_HOST = "plan.test"
"""A host that no other text of a run names."""


@dataclass(frozen=True)
class Rehearsal:
    """What a run over a stand-in of the service did."""

    counts: dict[str, tuple[int, int]]
    """The numbers of requests and of creations by heading."""
    run: FinishedRun
    base_url: str
    """The address of the stand-in."""


def rehearse(target: Target, plan: Plan, seed: int) -> Rehearsal:
    """Run `plan` over the reference service."""
    users = (User("first"), User("second"))[: 2 if target.other else 1]
    config = by_calls(ReferenceConfig(users=users, seed=seed), seed)
    app = build_app(config)
    user, other = [*map(Token, config.tokens), None][:2]
    base_url = f"http://{_HOST}{config.path_prefix}"
    stand_in = replace(
        target,
        base_url=base_url,
        user=user,
        other=other,
        completion=target.completion and ByTheService(app.state.service),
        account_is_for_testing=True,
    )
    with closing(session_over(app, stand_in, seed=seed, in_turn=False)) as session:
        run = check(session, plan, ProgressListener())
    headings = {each.check: heading_of(each.requirement.clause) for each in run.results}
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
