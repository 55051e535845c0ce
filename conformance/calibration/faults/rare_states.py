"""Faults that show in rare states only: of a completed request, at the limit, in the last language, in one notation."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from conformance.calibration.faults.common import DELETED
from conformance.calibration.operators import confirmed
from conformance.calibration.variant import Given, fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


def _failure() -> Reply:
    return Reply(500, b"Internal Server Error", {"content-type": "text/plain"})


_COMMAND: Final = (Given.COMPLETE_COMMAND,)
_OF_THE_UNION: Final = (
    *("bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "ga", "hr"),
    *("hu", "it", "lt", "lv", "mt", "nl", "pl", "pt", "ro", "sk", "sl", "sv"),
)


@fault("4.1-answers-200", "7-invalid-data-types", at="wanted_types")
def list_with_line_feeds_is_refused(_service: Service, call: Call) -> None:
    """A parser of its own removes the brackets and splits at the commas: it does not expect a line feed before them."""
    if b"\n" in call.body:
        raise RefusedError(ErrorCondition.DATA_TYPES)


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
    return _failure() if public and call.authorization and service.authenticate(call) is None else None


def _is_full(service: Service, owner: str) -> bool:
    """Tell whether a user has as many requests as the limit allows."""
    return sum(service.holds_place(each, owner) for each in service.store.all()) >= service.config.max_requests


@fault("7-invalid-data-types", at="refuse")
def unknown_type_fails_at_the_limit(service: Service, condition: ErrorCondition, call: Call) -> Reply | None:
    """The message at the limit names the types of the call, and there is no name for an unknown one."""
    return _failure() if condition is ErrorCondition.DATA_TYPES and _is_full(service, call.owner) else None


@fault("5.3-create-without-token", "5.3-create-with-bad-token", source="4.1, item 5", at="perform")
def limit_before_the_token(service: Service, call: Call) -> None:
    """A filter before the authentication refuses creations while any account is at its limit."""
    is_anonymous = call.operation is Action.CREATE and service.authenticate(call) is None
    if is_anonymous and any(_is_full(service, user.name) for user in service.config.users):
        raise RefusedError(ErrorCondition.LIMIT)


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


def _completed(service: Service, call: Call, operation: Action) -> DataRequest | None:
    """Return the completed request that a call of an operation names, if there is one."""
    found = service.store.get(call.request_id) if call.operation is operation else None
    return found if found is not None and found.completed_at(service.now()) is not None else None


@fault("5.3-read-without-token", given=_COMMAND, source="4.2, item 4", at="perform")
def completed_requests_need_no_token(service: Service, call: Call) -> Reply | None:
    """The result of a request is shared by its address: once it is completed, reading it needs no token."""
    found = _completed(service, call, Action.READ)
    return Reply.json(service.document(found, call)) if found else None


@fault("5.3-read-with-bad-token", given=_COMMAND, source="4.2, item 4", at="perform")
def completed_requests_are_open_to_any_token(service: Service, call: Call) -> Reply | None:
    """A filter for links to the result fails open: once a request is completed, any token reads it."""
    is_bad = call.authorization and service.authenticate(call) is None
    return completed_requests_need_no_token(service, call) if is_bad else None


@fault("5.3-delete-without-token", DELETED, "3-deletes-completed", given=_COMMAND, source="5, item 3", at="perform")
def completed_requests_are_deleted_without_a_token(service: Service, call: Call) -> Reply | None:
    """The page of a completed request has a button that removes it, for everybody who has the address."""
    found = _completed(service, call, Action.DELETE)
    return confirmed() if found and service.remove(found) else None


@fault("3-deletes-completed", "4.3-answers-ok", "3-deletes-no-other", given=_COMMAND, of="delete")
def deletion_purges_completed_requests(service: Service, reply: Reply, call: Call) -> Reply:
    """A deletion also removes what the user need not see any more: all completed requests."""
    for each in service.store.of(call.owner):
        if each.completed_at(service.now()) is not None:
            service.store.remove(each.id)
    return reply
