"""The early request: one request that is kept from early in the run until its end, perhaps completed by then (3, 8)."""

from __future__ import annotations

from conformance.client.user import UserClient
from conformance.model.errors import NotDecided
from conformance.model.identity import USER, Identity


def keep_early_request(service: UserClient, caller: Identity) -> None:
    """Create a request that is kept until the end of the run; do nothing where it cannot be made, or one is kept."""
    results = service.session.results
    if results.early_creation is not None or caller.label not in service.session.credentials:
        return
    try:
        creation = service.post(service.first_types(1), caller)
    except NotDecided:
        return
    if (made := service.created_if_possible(creation)) is not None:
        results.early_creation = creation
        service.session.kept.add(made.request_id)


def keep_beside_others(service: UserClient, places: int) -> None:
    """Keep a request of the user where so many places leave room for all scenarios that run in parallel."""
    if places > service.session.target.budget.concurrency:
        keep_early_request(service, USER)


def is_kept_for(service: UserClient, caller: Identity) -> bool:
    """Tell whether a request of `caller` is kept, which takes one place."""
    creation = service.session.results.early_creation
    if creation is None or creation.request.credential != caller.label:
        return False
    return service.created(creation).request_id in service.session.kept


def early_request_id(service: UserClient) -> str:
    """Return the identifier of the early request; "" where there is none."""
    creation = service.session.results.early_creation
    return service.created(creation).request_id if creation is not None else ""
