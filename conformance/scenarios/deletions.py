"""The scenarios of deletions: one of several requests, and one that was deleted early (3)."""

from __future__ import annotations

from functools import partial

from conformance.client.api import Api
from conformance.facts.answers import accepted
from conformance.model.errors import answer_of, not_applicable
from conformance.model.exchange import MISSING, Exchange, Operation, is_missing, request_id_of
from conformance.model.identity import OTHER_USER, USER, Created
from conformance.scenarios.registry import scenario


@scenario()
def one_deleted(service: Api) -> list[Exchange]:
    """Creates several requests, of another user too, deletes one, and looks for the others."""
    made = _several(service)
    doomed = made[1] if made[1].owner == USER else made[0]
    others = [one for one in made if one is not doomed]
    read = _readings(service, others)
    readable = [one for one, each in zip(others, read, strict=True) if answer_of(each).status == 200]
    if not readable or not accepted(service.delete(doomed.request_id)):
        return read
    afterwards = _readings(service, readable)
    for other, after in zip(readable, afterwards, strict=True):
        # It may be completed and therefore hidden: it no longer exists only if it cannot be deleted either.
        if answer_of(after).status in MISSING and is_missing(service.delete(other.request_id, other.owner, open=True)):
            break
    return afterwards


def _several(service: Api) -> list[Created]:
    """Return up to three requests of the user, in the order of their creation, and one of the other user.

    Fewer, if the account has no room for more. Raise NotDecided, with the reason, if there are fewer than two.
    """
    callers = [USER] * 3 + [OTHER_USER] * (OTHER_USER.label in service.session.credentials)
    types = service.types()
    # The oldest request names more types than the deleted one.
    creations = [service.post(types[: 1 if place else 2] or None, each) for place, each in enumerate(callers)]
    made = [one for one in map(service.created_if_possible, creations) if one is not None]
    if len(made) >= 2:
        return made
    if service.limit() == 1:
        raise not_applicable("limit-of-one", "maxNumberOfRequests is 1: there is no second request.")
    raise next(service.why_not_created(each) for each in creations if service.created_if_possible(each) is None)


def _readings(service: Api, requests: list[Created]) -> list[Exchange]:
    return service.session.parallel([partial(service.read, one.request_id, one.owner) for one in requests])


@scenario()
def deleted_early(service: Api) -> Exchange | None:
    """Reads the first request that the user deleted in this run; None if none was deleted."""
    for each in service.record.answered(Operation.DELETE, 200):
        existed = each.intent.request == "existing" and not each.intent.racing
        if existed and each.request.credential == USER.label:
            return service.read(request_id_of(each), request="deleted")
    return None
