"""Faults that show after a call that was refused, concerned another user's request, or repeated an earlier call."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from typing import Any

from conformance.calibration.faults.common import CountingPlaces
from conformance.calibration.variant import fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@fault("8-limit-enforced")
class _LimitOfTheFirstUserOnly(Service):
    """The code for the limit compares the number of one account, with which its author tested."""

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return request.owner != self.config.users[0].name or super().has_room(existing, request)


@fault("5.3-read-without-token", "5.3-read-with-bad-token", "4.2-answers-200")
class _MissingIsRememberedForEverybody(Service):
    """A cache in front of the service keeps each 404 by its path, for all clients."""

    missing = cached_property(lambda _: set[str]())

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is Action.READ and call.request_id in self.missing:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return await super().shortcut(call)

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        if condition is ErrorCondition.NO_REQUEST and call.operation is Action.READ:
            self.missing.add(call.request_id)
        return super().refuse(condition, call)


@fault("4.1-requested-types", "4.2-agrees-with-creation")
class _TypesOfRefusedCreationsAreKept(Service):
    """The known types of a refused list stay in the form and are added to the next creation."""

    left: tuple[str, ...] = ()

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        kept, self.left = self.left, ()
        try:
            wanted = super().wanted_types(call)
        except RefusedError:
            self.left = tuple(each for each in _listed(call.body) if each in self.type_names)
            raise
        return tuple(dict.fromkeys((*kept, *wanted)))


def _listed(body: bytes) -> list[Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return []
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


@fault("4.1-requested-types")
class _TypesOfRefusedCallersRemain(Service):
    """A middleware collects the types of each body in a list that all calls share, before the token is looked at."""

    collected = cached_property(lambda _: list[str]())

    async def perform(self, call: Call) -> Reply:
        if call.operation is Action.CREATE and self.authenticate(call) is None and call.body:
            with suppress(RefusedError):
                self.collected.extend(super().wanted_types(call))
        return await super().perform(call)

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        wanted = dict.fromkeys([*super().wanted_types(call), *self.collected])
        self.collected.clear()
        return tuple(wanted)


@fault("3-frees-the-limit", "8-accepts-up-to-limit", "8-completed-do-not-count")
class _DeletionsInSuccessionFreeOnePlace(CountingPlaces):
    """A freed place is remembered for one creation only: of two deletions in succession, one frees nothing."""

    given_back = cached_property(lambda _: set[str]())

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        self.given_back.discard(request.owner)
        return super().has_room(existing, request)

    def free(self, owner: str, places: int = 1) -> None:
        super().free(owner, 0 if owner in self.given_back else places)
        self.given_back.add(owner)


@fault("2.3-maxNumberOfRequests")
class _SettingsShowWhatIsLeft(Service):
    """The settings show the limit minus the requests of the fullest account, and no limit when this is zero."""

    def settings(self, call: Call) -> Any:
        held = Counter(each.owner for each in self.store.all())
        full = any(number >= self.config.max_requests for number in held.values())
        return super().settings(call) | ({"maxNumberOfRequests": None} if full else {})
