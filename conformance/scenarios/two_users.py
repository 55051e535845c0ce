"""The scenario of two users: each of them creates a request at the same moment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from conformance.client.api import Api
from conformance.facts.answers import accepted
from conformance.model.errors import NotDecided, answer_of, describe
from conformance.model.exchange import MISSING, Exchange
from conformance.model.identity import OTHER_USER, USER
from conformance.scenarios.budget import within_budget
from conformance.scenarios.registry import scenario

_ROOM: Final = 2
"""Up to this limit each user creates once: a request that the run keeps may take a place."""


@dataclass(frozen=True)
class BesideAnother:
    """A creation at the same time as one of the other user, and the deletion of its request by its own user."""

    creation: Exchange
    deleted: Exchange
    by_other: Exchange | None = None
    """The deletion by the other user, if its own user's found nothing."""

    @property
    def is_misplaced(self) -> bool:
        """Whether the user who created it does not find it; raises NotDecided if the answer does not tell."""
        missing = answer_of(self.deleted).status in MISSING
        if missing and self.deleted.repeats:
            message = f"{describe(self.deleted)} was sent twice: the first one may have removed the request."
            raise NotDecided(message, exchanges=[self.deleted])
        return missing


@scenario()
def two_users(service: Api) -> list[BesideAnother]:
    """Both users create at the same time and delete what they created: a call must not get the user of the other."""
    if OTHER_USER.label not in service.session.credentials:
        return []
    within_budget(service, 4, "Creating for two users at the same time", rest=0)
    # Twice for each if there is room: calls that are sent at one moment may arrive some milliseconds apart.
    users = (USER, OTHER_USER) * (2 if service.limit() > _ROOM else 1)
    types = service.first_types(1)
    made = service.session.race([partial(service.post, types, user, racing=True) for user in users])
    ones = [service.created_if_possible(creation) if accepted(creation) else None for creation in made]
    ids = [one.request_id for one in ones if one is not None]
    found = []
    for creation, one, user, other in zip(made, ones, users, reversed(users), strict=True):
        if one is None or ids.count(one.request_id) > 1:
            continue  # the limit may be shared; creations with one request are the matter of another check
        found.append(BesideAnother(creation, service.delete(one.request_id, user, open=True)))
        if found[-1].is_misplaced:
            by_other = service.delete(one.request_id, other, request="foreign")
            found[-1] = replace(found[-1], by_other=by_other)
    return found
