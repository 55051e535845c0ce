"""The scenarios of deletions: one of several requests, and one that was deleted early (3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.errors import NotDecided, answer_of, not_applicable
from conformance.model.exchange import MISSING, Exchange, Operation, request_id_of
from conformance.model.identity import OTHER_USER, USER, Created, Identity
from conformance.scenarios.registry import scenario


@dataclass(frozen=True)
class Missing:
    """A request that could not be read after the deletion of another, and what shows whether it still exists."""

    after: Exchange
    instead: Exchange
    """The reading of the deleted request."""
    gone: Exchange
    """The deletion of the missing one, and once more if it was accepted."""
    again: Exchange

    @property
    def lost(self) -> bool:
        """Whether the request is gone, or was hidden in place of the deleted one."""
        return answer_of(self.gone).status in MISSING or answer_of(self.instead).status == 200

    @property
    def decides(self) -> bool:
        """Whether this shows that the request is lost, or cannot show it."""
        return self.lost or answer_of(self.again).status not in MISSING


@dataclass
class OneDeleted:
    """Several requests, of which one was deleted."""

    made: list[Created]
    readable: list[Created]
    """The others that could be read before."""
    deleted: Exchange | None = None
    """The deletion; None if no other could be read."""
    afterwards: list[Exchange] = field(default_factory=list)
    """The readings of the others after the deletion."""
    missing: list[Missing] = field(default_factory=list)


@scenario(calls=20)
def one_deleted(service: UserClient) -> OneDeleted:
    """Creates several requests, of another user too, deletes one, and looks for the others."""
    made = _several(service)
    doomed = made[1] if made[1].owner == USER else made[0]
    others = [one for one in made if one is not doomed]
    read = _readings(service, others)
    found = OneDeleted(made, [one for one, each in zip(others, read, strict=True) if answer_of(each).status == 200])
    if not found.readable:
        return found
    found.deleted = service.delete(doomed.request_id)
    if not accepted(found.deleted):
        return found
    found.afterwards = _readings(service, found.readable)
    for other, after in zip(found.readable, found.afterwards, strict=True):
        if answer_of(after).status not in MISSING:
            continue
        # It may be completed and therefore hidden: it no longer exists only if it cannot be deleted either. An OK shows
        # that it existed only if the service says OK to no deletion of nothing.
        instead = service.read(doomed.request_id, doomed.owner, open=True)
        gone = service.delete(other.request_id, other.owner, open=True)
        again = service.delete(other.request_id, other.owner, request="deleted") if accepted(gone) else gone
        found.missing.append(Missing(after, instead, gone, again))
        if found.missing[-1].decides:
            break
    return found


def _several(service: UserClient) -> list[Created]:
    """Return up to three requests of the user, in the order of their creation, and one of the other user.

    Fewer, if the account has no room for more. Raise NotDecided, with the reason, if there are fewer than two.
    """
    callers = [caller for caller in (USER, OTHER_USER) if caller.label in service.session.credentials]
    types = service.types()
    # The oldest request names more types than the deleted one.
    calls = [partial(_creation, service, each, types[: 2 if each == USER else 1]) for each in callers]
    first, *others = service.session.parallel(calls)
    creations = [first, *(_creation(service, USER, types[:1]) for _ in range(2)), *others]
    asked = [each for each in creations if isinstance(each, Exchange)]
    made = [one for one in map(service.created_if_possible, asked) if one is not None]
    if len(made) < 2:
        for each in creations:
            if isinstance(each, NotDecided):
                raise each
            if not is_limit_refusal(each):
                service.created(each)
        if service.limit() == 1:
            raise not_applicable("limit-of-one", "maxNumberOfRequests is 1: there is no second request.")
        raise service.why_not_created(next(filter(is_limit_refusal, asked)))
    return made


def _creation(service: UserClient, caller: Identity, types: list[str]) -> Exchange | NotDecided:
    try:
        return service.post(types or None, caller)
    except NotDecided as error:
        return error


def _readings(service: UserClient, requests: list[Created]) -> list[Exchange]:
    return service.session.parallel([partial(service.read, one.request_id, one.owner) for one in requests])


@scenario(calls=1)
def deleted_early(service: UserClient) -> Exchange | None:
    """Reads the first request that the user deleted in this run; None if none was deleted."""
    for each in service.record.answered(Operation.DELETE, 200):
        existed = each.intent.request == "existing" and not each.intent.racing
        if existed and each.request.credential == USER.label:
            return service.read(request_id_of(each), request="deleted")
    return None
