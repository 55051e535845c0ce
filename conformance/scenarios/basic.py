"""The basic scenarios: every operation as any client calls it, some of them often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from typing import Final

from conformance.facts.answers import accepted
from conformance.judge.moments import sharing
from conformance.model.errors import NotDecided, answer_of, not_applicable
from conformance.model.exchange import Exchange, Operation
from conformance.model.formats import is_uuid
from conformance.model.identity import (
    ANONYMOUS,
    ANYTHING,
    AS_A_BROWSER,
    BROWSING,
    CHUNKED,
    OF_CALLS,
    OTHER_USER,
    USER,
    USER_BROWSING,
    USER_CLOSING,
    Identity,
    created_by,
)
from conformance.model.target import SEVERAL
from conformance.scenarios.api import Api
from conformance.scenarios.credentials import no_tokens
from conformance.scenarios.languages import with_unsupported_language
from conformance.scenarios.registry import scenario


@scenario(beside_others=True)
def creations(service: Api) -> list[Exchange]:
    """Creates for one data type, for two, and without a body for all, and reads each request; returns these calls.

    The second body is sent in chunks; it and the last call are in a language. The list of types is read again if it may
    have changed.
    """
    language = next(iter(service.tags()), "")
    found: list[Exchange] = []
    for types, caller in (
        (service.first_types(1), USER),
        (service.first_types(2), replace(USER, language=language, variation=CHUNKED)),
        (None, replace(USER, accept=ANYTHING, language=language)),
    ):
        creation = service.post(types, caller)
        found.append(creation)
        if (made := created_by(creation)) is not None:
            found.append(service.read(made.request_id, USER if types else with_unsupported_language(service, USER)))
            service.session.remove(made.request_id)
    given = creation.member("dataRequested")
    with suppress(NotDecided):
        if isinstance(given, list) and sorted(map(str, given)) != sorted(service.types()):
            service.types_now()
    return found


@scenario()
def later_creation(service: Api) -> None:
    """Creates a request, later than the unit of any clock, if all creations of the run share one createdAt."""
    creations = service.creations()
    for alike, due in sharing(creations):
        if len(alike) == len(creations):
            service.session.clock.sleep(due.total_seconds())
            service.create()


@scenario(beside_others=True)
def deletion(service: Api) -> Exchange:
    """Deletes a new request; if that is accepted, reads and deletes it again several times."""
    one = service.create(form=0).request_id
    deleted = service.delete(one)
    if deleted.response is not None and 200 <= deleted.response.status < 300:
        looks = [partial(service.read, one, each, request="deleted") for each in _callers(service.tags())]
        again = [partial(service.delete, one, each, request="deleted") for each in _callers(service.tags()[::2])]
        service.session.parallel([*looks, *again])
    return deleted


def _callers(languages: Sequence[str]) -> list[Identity]:
    """Return the user as a browser, which asks for HTML, and as a client that takes anything, each in a language."""
    callers = replace(USER, variation=AS_A_BROWSER), USER_BROWSING
    return [replace(each, language=tag) for each, tag in zip(callers, cycle([*languages, ""]), strict=False)]


@scenario()
def without_creation(service: Api) -> None:
    """Reads and deletes an unknown request with the token, if the run created none: is the token accepted there?"""
    if not service.creations():
        absent = service.unknown_id()
        service.read(absent)
        service.delete(absent)


@scenario()
def one_deleted(service: Api) -> None:
    """Creates several requests, of another user too, deletes one, and reads the others before and after.

    Raises NotDecided, with the reason, if there is no room for two, or if a later reading got no usable response.
    """
    # A browser may prefer a language that the service does not support.
    unsupported = with_unsupported_language(service, USER_BROWSING)
    callers = [USER, USER, unsupported, *[OTHER_USER] * (OTHER_USER.label in service.users)]
    types = service.types()
    # The oldest request names more types than the deleted one.
    creations = [service.post(types[: 1 if place else 2] or None, each) for place, each in enumerate(callers)]
    made = [one for one in map(created_by, creations) if one is not None]
    if len(made) < 2 and service.limit() == 1:
        raise not_applicable("limit-of-one", "maxNumberOfRequests is 1: there is no second request.")
    if len(made) < 2:
        raise next(service.why_not_created(each) for each in creations if created_by(each) is None)
    doomed = made[1] if made[1].owner == USER else made[0]
    looks = [partial(service.read, one.request_id, one.owner) for one in made if one is not doomed]
    service.session.parallel(looks)
    service.delete(doomed.request_id, unsupported)
    for each in service.session.parallel(looks):
        answer_of(each)


@scenario(beside_others=True)
def readings(service: Api) -> None:
    """Reads a request repeatedly, without a token and once more, deletes it, and looks for it."""
    read_before = sum(each.intent.request == "existing" for each in service.record.answered(Operation.READ))
    one = service.create(form=1).request_id
    reading = partial(service.read, one)
    number = max(SEVERAL, service.target.budget.repeats - 1 - read_before)
    # A service that caches frequent readings must not show them to clients without a token: every answer is judged.
    callers = [*_in_variations(service, USER, number - 1), ANONYMOUS]
    service.session.parallel([partial(reading, each) for each in callers])
    reading()  # what was missing before may be there: then it was in progress all the time
    # A service that caches frequent readings, perhaps in each process, must forget them: every answer is judged.
    deleted = service.delete(one, replace(USER, variation=AS_A_BROWSER), request="clean-up")
    if accepted(deleted.response):
        last = OTHER_USER if OTHER_USER.label in service.users else USER_CLOSING
        callers = [USER, *_in_variations(service, USER_CLOSING, SEVERAL - 1), last]
        looks = [partial(reading, each, request="deleted") for each in callers]
        in_other_case = partial(service.read, one.swapcase() if is_uuid(one) else one, USER_CLOSING)
        service.session.parallel([*looks, in_other_case])


def _in_variations(service: Api, caller: Identity, number: int) -> list[Identity]:
    """Return `caller` this number of times, in one variation after another; the seed decides which is first."""
    first = service.session.seed % len(OF_CALLS)
    return [replace(caller, variation=OF_CALLS[(first + index) % len(OF_CALLS)]) for index in range(number)]


ASKED_ALREADY: Final = 6
"""Such calls elsewhere in a run with a token: the doctor, a race, the limit, the last look. Every answer is judged."""


@scenario(beside_others=True, public=True)
def data_answers(service: Api) -> None:
    """Requests GET /data repeatedly."""
    _ask_often(service, service.data)


@scenario(beside_others=True, public=True)
def settings_answers(service: Api) -> None:
    """Requests GET /settings repeatedly."""
    _ask_often(
        service,
        service.settings,
        partial(service.settings, with_unsupported_language(service, ANONYMOUS), language="unsupported"),
    )


def _ask_often(service: Api, call: Callable[..., Exchange], *others: Callable[[], Exchange]) -> None:
    """Make calls in different variations, with the token of the other user and an invalid one, and usual ones."""
    callers = [BROWSING, *_in_variations(service, ANONYMOUS, len(OF_CALLS))]
    different: list[Callable[[], Exchange]] = [*others, *(partial(call, each) for each in callers)]
    if OTHER_USER.label in service.users:
        different.append(partial(call, OTHER_USER, offered=True))
    if USER.label in service.users:
        different.append(partial(call, replace(no_tokens(service)[0], language=""), offered=True))
    # The answers in languages replace as many without one: their documents are judged too.
    other_calls = (ASKED_ALREADY if USER.label in service.users else 0) + 2 * min(SEVERAL, len(service.tags()))
    for ask in [*different, *[call] * (service.target.budget.repeats - other_calls - len(different))]:
        ask()


@dataclass(frozen=True)
class DataMe:
    """The answers to GET /data/me: with the token of the user, if there is one, and without a token.

    `controls` are the answers to the same calls for a path beside it that cannot exist; there are none if GET /data/me
    shows a document.
    """

    best: Exchange
    without_token: Exchange
    controls: tuple[Exchange, ...] = ()


@scenario(beside_others=True, public=True)
def data_me(service: Api) -> DataMe:
    """Requests GET /data/me, and the control if it shows no document; the doctor's call is not repeated."""
    caller = USER if USER.label in service.users else ANONYMOUS
    best, without = service.session.results.data_me or service.data_me(caller), service.data_me(ANONYMOUS)
    if best.response is None or (best.response.status == 200 and not best.response.document.problem):
        return DataMe(best, without)
    word = service.session.made_up("path")
    return DataMe(best, without, tuple(service.data_me(each, in_place_of_me=word) for each in (caller, ANONYMOUS)))
