"""How many requests a scenario may have at a time."""

from __future__ import annotations

from conformance.client.api import Api
from conformance.facts.answers import accepted
from conformance.model.exchange import RETRY_LATER
from conformance.model.identity import USER
from conformance.rules.limit import limit_so_far
from conformance.scenarios.limit import limit


def places(service: Api) -> int:
    """Return how many requests are possible at a time: 1 after answers to retry later, or if a place may stay taken."""
    found = limit.so_far(service)
    waits = any(each.superseded in RETRY_LATER for each in service.record.exchanges)
    if waits or found is None or limit_so_far(service).ledger.may_stay_taken is not None:
        return 1
    if found.after_deletion is not None and not accepted(found.after_deletion):
        return 1
    early = service.session.results.early_creation
    number = max(1, min(len(found.held), found.limit))
    if early is None or early.request.credential != USER.label:
        return number
    return max(1, number - (service.created(early).request_id in service.session.kept))
