"""The scenarios of deletions: what a deleted request answers, and what becomes of others (3, 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle

from conformance.client.api import Api
from conformance.model.errors import not_applicable
from conformance.model.exchange import Exchange, Operation, request_id_of
from conformance.model.identity import AS_A_BROWSER, OTHER_USER, USER, USER_BROWSING, Identity
from conformance.scenarios.registry import scenario


@scenario(parallel=True)
def deletion(service: Api) -> Exchange:
    """Deletes a new request; if that is accepted, reads and deletes it again several times."""
    one = service.create(service.of_bodies(0)).request_id
    deleted = service.delete(one)
    if deleted.response is not None and 200 <= deleted.response.status < 300:
        looks = [partial(service.read, one, each, request="deleted") for each in _callers(service.tags())]
        again = [partial(service.delete, one, each, request="deleted") for each in _callers(service.tags()[::-1])]
        service.session.parallel([*looks, *again])
    return deleted


def _callers(languages: Sequence[str]) -> list[Identity]:
    """Return the user as a browser, which asks for HTML, and as a client that takes anything, each in a language."""
    callers = replace(USER, variation=AS_A_BROWSER), USER_BROWSING
    return [replace(each, language=tag) for each, tag in zip(callers, cycle([*languages, ""]), strict=False)]


@scenario()
def deleted_early(service: Api) -> None:
    """Reads the first request that the user deleted in this run, unless none was deleted."""
    for each in service.record.answered(Operation.DELETE, 200):
        existed = each.intent.request == "existing" and not each.intent.racing
        if existed and each.request.credential == USER.label:
            service.read(request_id_of(each), request="deleted")
            return


@scenario()
def one_deleted(service: Api) -> None:
    """Creates several requests, of another user too, deletes one, and reads the others before and after.

    Raises NotDecided, with the reason, if there is no room for two.
    """
    callers = [USER] * 3 + [OTHER_USER] * (OTHER_USER.label in service.users)
    types = service.types()
    # The oldest request names more types than the deleted one.
    creations = [service.post(types[: 1 if place else 2] or None, each) for place, each in enumerate(callers)]
    made = [one for one in map(service.created_if_possible, creations) if one is not None]
    if len(made) < 2 and service.limit() == 1:
        raise not_applicable("limit-of-one", "maxNumberOfRequests is 1: there is no second request.")
    if len(made) < 2:
        raise next(service.why_not_created(each) for each in creations if service.created_if_possible(each) is None)
    doomed = made[1] if made[1].owner == USER else made[0]
    looks = [partial(service.read, one.request_id, one.owner) for one in made if one is not doomed]
    service.session.parallel(looks)
    service.delete(doomed.request_id)
    service.session.parallel(looks)
