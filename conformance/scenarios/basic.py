"""The basic scenarios: every operation as any client calls it, some of them often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from typing import Any, Final

from conformance.client.api import Api
from conformance.facts.answers import accepted, is_evident, refuses_an_offered_token
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import MISSING, Exchange, Operation, is_missing_again
from conformance.model.formats import is_uuid
from conformance.model.identity import (
    ANONYMOUS,
    BROWSING,
    OTHER_USER,
    USER,
    USER_BROWSING,
    USER_CLOSING,
    Identity,
)
from conformance.model.variation import AS_A_BROWSER, CHUNKED, OF_CALLS
from conformance.rules.expect import document
from conformance.rules.moments import APART, between, sharing_all
from conformance.scenarios.registry import scenario

LOOKS: Final = 2
"""Readings of a request after its deletion, in addition to those of other scenarios."""

DELETIONS: Final = 2
"""Repeated deletions."""

_FEWEST: Final = 3
"""Readings of one request in succession."""


@dataclass(frozen=True)
class CreationAndReading:
    """A creation, and the reading of the new request, if there is one."""

    creation: Exchange
    reading: Exchange | None = None


def _create_and_read(service: Api, types: list[str] | None, caller: Identity = USER) -> CreationAndReading:
    creation = service.post(types, caller)
    made = service.created_if_possible(creation)
    if made is None:
        return CreationAndReading(creation)
    reading = service.read(made.request_id)
    service.session.remove(made.request_id)
    return CreationAndReading(creation, reading)


@scenario(parallel=True)
def for_one_type(service: Api) -> CreationAndReading:
    """A creation for one data type, and its reading."""
    return _create_and_read(service, service.first_types(1))


@scenario(parallel=True)
def for_two_types(service: Api) -> CreationAndReading:
    """A creation for two data types, sent in chunks and in a language, and its reading without a language."""
    language = next(iter(service.tags()), "")
    return _create_and_read(service, service.first_types(2), replace(USER, language=language, variation=CHUNKED))


@scenario(parallel=True)
def for_all_types(service: Api) -> CreationAndReading:
    """A creation without a body, for all data types, and its reading; then the list, if it may have changed."""
    found = _create_and_read(service, None)
    given = found.creation.response.member("dataRequested") if found.creation.response is not None else None
    if isinstance(given, list):
        with suppress(NotDecided):
            if sorted(map(str, given)) != sorted(service.types()):
                service.types_now()
    return found


@scenario()
def later_creation(service: Api) -> Exchange | None:
    """Creates a request, later than the unit of any clock, if all creations of the run share one createdAt."""
    creations = service.creations()
    sharing = sharing_all(creations)
    if not sharing:
        return None
    service.session.clock.sleep((APART - between(sharing)).total_seconds())
    return service.create().exchange


@dataclass(frozen=True)
class Deletion:
    """The deletion of a new request; if it was accepted, also later readings and deletions."""

    deleted: Exchange
    afterwards: list[Exchange]


@scenario(parallel=True)
def deletion(service: Api) -> Deletion:
    """Deletes a new request, then reads and deletes it again several times."""
    one = service.create(service.of_bodies(0)).request_id
    deleted = service.delete(one)
    if is_missing_again(deleted):
        # The first attempt, which decides nothing, may have removed the request: delete another one.
        one = service.create(service.of_bodies(0)).request_id
        deleted = service.delete(one)
    if deleted.response is None or not 200 <= deleted.response.status < 300:
        return Deletion(deleted, [])
    looks = [partial(service.read, one, each, request="deleted") for each in _callers(LOOKS, service.tags())]
    again = [
        partial(service.delete, one, each, request="deleted") for each in _callers(DELETIONS, service.tags()[::-1])
    ]
    return Deletion(deleted, service.session.parallel([*looks, *again]))


def _callers(number: int, languages: Sequence[str]) -> list[Identity]:
    """Return the user this number of times, in one language after another, once as a browser, which asks for HTML."""
    callers = [replace(USER, variation=AS_A_BROWSER), USER_BROWSING, *[USER] * (number - 2)]
    return [replace(each, language=tag) for each, tag in zip(callers, cycle([*languages, ""]), strict=False)]


@scenario(parallel=True)
def readings(service: Api) -> list[Exchange]:
    """Reads a request repeatedly, then without a token, and once more if a reading found nothing, and deletes it."""
    read_before = sum(each.intent.request == "existing" for each in service.record.answered(Operation.READ))
    created = service.create(service.of_bodies(1))
    reading = partial(service.read, created.request_id)
    number = max(_FEWEST, service.repeats - 1 - read_before)
    # A service that caches frequent readings must not show them to clients without a token: every answer is judged.
    callers = [USER, *_in_variations(service, USER, number - 1), ANONYMOUS]
    *answers, _ = service.session.parallel([partial(reading, each) for each in callers])
    missing = any(read.response is not None and answer_of(read).status in MISSING for read in answers)
    if missing:
        answers.append(service.read(created.request_id))
    # A service that caches frequent readings, perhaps in each process, must forget them: every answer is judged.
    if accepted(service.delete(created.request_id, replace(USER, variation=AS_A_BROWSER), request="clean-up")):
        callers = [USER, *_in_variations(service, USER_CLOSING, 2 * LOOKS - 2)]
        if OTHER_USER.label in service.session.credentials:
            callers[-1] = OTHER_USER
        looks = [partial(reading, each, request="deleted") for each in callers]
        one = created.request_id
        in_other_case = partial(service.read, one.swapcase() if is_uuid(one) else one, USER_CLOSING)
        service.session.parallel([*looks, in_other_case])
    return answers


def _in_variations(service: Api, caller: Identity, number: int) -> list[Identity]:
    """Return `caller` this number of times, in one variation after another; the seed decides which is first."""
    first = service.session.seed % len(OF_CALLS)
    return [replace(caller, variation=OF_CALLS[(first + index) % len(OF_CALLS)]) for index in range(number)]


ASKED_ALREADY: Final = 5
"""Number of such calls in other parts of a run with a token: the doctor, a race, the limit. Every answer is judged."""

ASKED_TWICE: Final = 3
"""Number of languages whose answers replace as many without one: their documents are judged too."""


@scenario(parallel=True, public=True)
def data_answers(service: Api) -> list[Exchange]:
    """Requests GET /data repeatedly."""
    return _answers(service, service.data)


@scenario(parallel=True, public=True)
def settings_answers(service: Api) -> list[Exchange]:
    """Requests GET /settings repeatedly."""
    return _answers(service, service.settings)


@scenario(public=True)
def usual_types(service: Api) -> list[Any]:
    """The data types without a language selector; raises NotDecided, with what to configure, if there are none."""
    return service.data_types()


def _answers(service: Api, call: Callable[..., Exchange]) -> list[Exchange]:
    """Make calls in different variations, with the token of the other user, and usual ones."""
    callers = [BROWSING, *_in_variations(service, ANONYMOUS, len(OF_CALLS))]
    different: list[Callable[[], Exchange]] = [partial(call, each) for each in callers]
    if OTHER_USER.label in service.session.credentials:
        different.append(partial(call, OTHER_USER, offered=True))
    other_calls = (ASKED_ALREADY if USER.label in service.session.credentials else 0) + 2 * min(
        ASKED_TWICE, len(service.tags())
    )
    number = service.repeats - other_calls
    answers = [ask() for ask in [*different, *[call] * (number - len(different))]]
    return [each for each in answers if not refuses_an_offered_token(each)]


DataList = tuple[Exchange, list[dict[str, Any]]]
"""A list of data types, with the exchange that shows it."""

SettingsDocument = tuple[Exchange, dict[str, Any]]
"""A settings object, with the exchange that shows it."""


def data_lists(data_answers: list[Exchange]) -> list[DataList]:
    """Return the answers of GET /data that are a list of objects; raise NotDecided if there is none. Makes no call."""
    lists = [
        (each, value) for each, value in _values(data_answers, list) if all(isinstance(one, dict) for one in value)
    ]
    if not lists:
        document("data types", data_answers[0], list)  # raises if it is no list at all
        raise NotDecided(
            "The list of data types contains something other than objects.",
            exchanges=data_answers[:1],
        )
    return lists


def settings_documents(settings_answers: list[Exchange]) -> list[SettingsDocument]:
    """Return the answers of GET /settings that are an object; raise NotDecided if there is none. Makes no call."""
    objects = _values(settings_answers, dict)
    if not objects:
        document("settings", settings_answers[0], dict)  # raises
    return objects


def _values(answers: list[Exchange], kind: type) -> list[tuple[Exchange, Any]]:
    """Return each 200, or other response that evidently shows the document, with its JSON value of type `kind`."""
    responses = [(each, each.response) for each in answers if each.response is not None]
    documents = [(each, shown.document) for each, shown in responses if shown.status == 200 or is_evident(each)]
    return [(each, one.value) for each, one in documents if one.problem is None and isinstance(one.value, kind)]
