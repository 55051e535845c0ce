"""Faults that show in rare states only: of a completed request, at the limit, in the last language, in one notation."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from conformance.calibration.faults.common import DELETED
from conformance.calibration.variant import Given, add_fault, fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_COMMAND: Final = (Given.COMPLETE_COMMAND,)
_OF_THE_UNION: Final = (
    *("bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "ga", "hr"),
    *("hu", "it", "lt", "lv", "mt", "nl", "pl", "pt", "ro", "sk", "sl", "sv"),
)


class _SplitsAtCommas(Service):
    def wanted_types(self, call: Call) -> tuple[str, ...]:
        if b"\n" in call.body:
            raise RefusedError(ErrorCondition.DATA_TYPES)
        return super().wanted_types(call)


add_fault(
    "4.1-answers-200",
    "list-with-line-feeds-is-refused",
    "A parser of its own removes the brackets and splits at the commas: it does not expect a line feed before them.",
    _SplitsAtCommas,
    consequences=("7-invalid-data-types",),
)


@fault("4.5-supported-languages", source="4.5, item 2", languages=_OF_THE_UNION, of="language")
def last_of_many_languages_is_refused(service: Service, language: str, _call: Call) -> str:
    """The settings list the 24 languages of the European Union, and there are no texts in the last one yet."""
    if language == service.config.languages[-1]:
        raise RefusedError(ErrorCondition.LANGUAGE)
    return language


@fault("4.4-answers-200", "4.5-answers-200", source="4.4, item 2", at="perform")
def public_calls_fail_with_an_invalid_token(service: Service, call: Call) -> Reply | None:
    """A filter looks up the user of each token, and a public call uses the one that it did not find."""
    public = call.operation in (Action.SETTINGS, Action.DATA)
    if public and call.authorization and service.authenticate(call) is None:
        return Reply(500, b"Internal Server Error", {"content-type": "text/plain"})
    return None


class _LooksAtTheLimitFirst(Service):
    def is_full(self, owner: str) -> bool:
        """Tell whether a user has as many requests as the limit allows."""
        return sum(self.holds_place(each, owner) for each in self.store.all()) >= self.config.max_requests


class _NamesUnknownTypesAtTheLimit(_LooksAtTheLimitFirst):
    async def create(self, call: Call) -> Reply:
        try:
            return await super().create(call)
        except RefusedError as refusal:
            if refusal.condition is ErrorCondition.DATA_TYPES and self.is_full(call.owner):
                return Reply(500, b"Internal Server Error", {"content-type": "text/plain"})
            raise


add_fault(
    "7-invalid-data-types",
    "unknown-type-fails-at-the-limit",
    "The message at the limit names the types of the call, and there is no name for an unknown one.",
    _NamesUnknownTypesAtTheLimit,
)


@fault("5.3-create-without-token", "5.3-create-with-bad-token", source="4.1, item 5")
class _LimitBeforeTheToken(_LooksAtTheLimitFirst):
    """A filter before the authentication refuses creations while any account is at its limit."""

    async def perform(self, call: Call) -> Reply:
        is_anonymous = call.operation is Action.CREATE and self.authenticate(call) is None
        if is_anonymous and any(self.is_full(user.name) for user in self.config.users):
            raise RefusedError(ErrorCondition.LIMIT)
        return await super().perform(call)


@fault("4.1-refused-creates-nothing", "8-accepts-up-to-limit", "3-frees-the-limit", source="4.1, item 4")
class _ObjectIsRefusedAndCounts(Service):
    """The service counts a creation before it validates the body, and takes it back only for arrays."""

    counted = 0

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        with suppress(ValueError, RecursionError):
            self.counted += isinstance(json.loads(call.body or b"[]"), dict)
        return super().wanted_types(call)

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        held = sum(self.holds_place(each, request.owner) for each in existing)
        return held + self.counted < self.config.max_requests


@fault("5.3-read-without-token", given=_COMMAND, source="4.2, item 4", at="perform")
def completed_requests_need_no_token(service: Service, call: Call) -> Reply | None:
    """The result of a request is shared by its address: once it is completed, reading it needs no token."""
    found = service.store.get(call.request_id) if call.operation is Action.READ else None
    if found is not None and found.completed_at(service.now()) is not None:
        return Reply.json(service.document(found, call))
    return None


@fault("5.3-read-with-bad-token", given=_COMMAND, source="4.2, item 4", at="perform")
def completed_requests_are_open_to_any_token(service: Service, call: Call) -> Reply | None:
    """A filter for links to the result fails open: once a request is completed, any token reads it."""
    is_bad = call.authorization and service.authenticate(call) is None
    return completed_requests_need_no_token(service, call) if is_bad else None


@fault("5.3-delete-without-token", DELETED, "3-deletes-completed", given=_COMMAND, source="5, item 3")
class _CompletedRequestsAreDeletedWithoutAToken(Service):
    """The page of a completed request has a button that removes it, for everybody who has the address."""

    async def perform(self, call: Call) -> Reply:
        found = self.store.get(call.request_id) if call.operation is Action.DELETE else None
        if found is not None and found.completed_at(self.now()) is not None:
            call.user = next(user for user in self.config.users if user.name == found.owner)
            return await self.delete(call)
        return await super().perform(call)


class _PurgesCompleted(Service):
    async def delete(self, call: Call) -> Reply:
        reply = await super().delete(call)
        for each in self.store.of(call.owner):
            if each.completed_at(self.now()) is not None:
                self.store.remove(each.id)
        return reply


add_fault(
    "3-deletes-completed",
    "deletion-purges-completed-requests",
    "A deletion also removes what the user need not see any more: all completed requests.",
    _PurgesCompleted,
    consequences=("4.3-answers-ok", "3-deletes-no-other"),
    given=_COMMAND,
)
