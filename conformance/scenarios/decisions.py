"""How checks and scenarios read the limit: by the inequalities over all exchanges of the run so far."""

from __future__ import annotations

from collections.abc import Callable

from conformance.client.user import UserClient
from conformance.model.errors import NotDecided, RequirementViolated
from conformance.model.exchange import Exchange
from conformance.rules.limit import Decision, Limit, limit_so_far


def decide(service: UserClient, statement: Callable[[Limit], Decision], *calls: Callable[[UserClient], object]) -> None:
    """Make the `calls` of scenarios, and raise what the exchanges then say of a statement, unless one decided it.

    Why the calls of a scenario ended early says more than that nothing decided the statement.
    """
    ended: list[NotDecided] = []
    for call in calls:
        try:
            call(service)
        except NotDecided as reason:
            ended.append(reason)
    decision = statement(limit_so_far(service))
    if isinstance(decision, RequirementViolated):
        raise decision
    if isinstance(decision, Exchange):
        record = service.record
        record.consulted.setdefault(record.check_here, []).append(decision)
        return
    if isinstance(decision, NotDecided):
        raise next((reason for reason in ended if not reason.circumstance), decision)
