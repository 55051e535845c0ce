"""Faults that show under one circumstance only, caches between the stored request and the answer among them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from conformance.calibration import sources
from conformance.calibration.operators import again, on_error, on_settings, put, together, without
from conformance.calibration.variant import add_fault, fault
from conformance.model.target import LanguageSelector
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.config import User
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_READ = Action.READ


@fault("5.3-read-without-token", "5.3-read-with-bad-token", source=sources.SHARED_CACHES)
async def readings_are_cached_for_everybody(service: Service, call: Call) -> Reply | None:
    """A cache in front of the service ignores the token: it shows a request that was read once to all clients."""
    if call.operation is not _READ or service.store.get(call.request_id) is None:
        return None
    place = "cached", call.request_id
    if place not in service.kept:
        service.kept[place] = await service.perform(call)
    return again(service.kept[place])


@fault("5.1-accepts-bearer", "4.2-answers-200", "3-removed", source=sources.NGINX_CACHE)
def rejections_are_cached_for_everybody(service: Service, call: Call) -> None:
    """A cache in front of the service keeps a 401 for the address and sends it to clients with a valid token."""
    if call.operation is _READ and service.authenticate(call) is None:
        service.kept["rejected", call.request_id] = True
    if call.operation is _READ and ("rejected", call.request_id) in service.kept:
        raise RefusedError(ErrorCondition.UNAUTHORIZED)


@fault("4.2-answers-200", "3-removed", source=sources.MONGODB_SECONDARIES, at="read")
def readable_after_a_moment(service: Service, call: Call) -> Reply | None:
    """Creation answers before a message has stored the request: reading finds it a little later."""
    if service.now() - service.find(call).created_at < timedelta(seconds=0.2):
        raise RefusedError(ErrorCondition.NO_REQUEST)
    return None


@fault("5.3-create-without-token", source="4.1, item 2", of="authenticate")
def create_without_a_body_needs_no_token(service: Service, user: User | None, call: Call) -> User | None:
    """The filter for tokens is bound to the type of the body: a call without a body passes it."""
    free = call.operation is Action.CREATE and not call.body and not call.authorization
    return service.config.users[0] if free else user


@fault("7-not-found", source=sources.DOCKER_SHORT_IDS, at="find")
def found_by_its_beginning(service: Service, call: Call) -> DataRequest | None:
    """The store looks for keys that begin with the given text, as for the short names of commits."""
    return next((each for each in service.store.of(call.owner) if each.id.startswith(call.request_id)), None)


@fault("2.1-createdAt-value", source=sources.JAVA_DATE_FORMAT, of="document")
def created_at_is_local_time_with_z(service: Service, document: Any, request: DataRequest, *_: object) -> Any:
    """The local time, two hours ahead of UTC, with the suffix Z."""
    return document | {"createdAt": service.timestamp(request.created_at + timedelta(hours=2))}


@fault("4.3-answers-ok", "7-not-found-message", "3-deletes-completed", source=sources.EXPRESS_404, at="delete")
def no_deletion_is_routed(_service: Service, _call: Call) -> Reply | None:
    """The route for DELETE is missing, and the framework answers 404 with its own message."""
    raise RefusedError(ErrorCondition.NO_PATH)


add_fault(
    "7-language-not-supported-error",
    "languages-missing-and-refused-as-unsupported",
    "The settings list no languages, and the error for an unsupported language has its own name.",
    together(
        on_settings(without("supportedLanaguages")),
        on_error(put(error="UnsupportedLanguage"), ErrorCondition.LANGUAGE),
    ),
    consequences=("2.3-supportedLanaguages", "1.4-every-parameter"),
    run={"language_selector": LanguageSelector("header", "Accept-Language")},
    source="2.3, table, row 9, Meaning, sentence 1",
)
