"""Every operation on data requests, by every form of a credential, each tried once for the run (5).

What no service may take for the token of a user is answered 401 (5.3). Forms of which that is not stated are only
shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle, islice
from typing import Final

from conformance.client.user import UserClient, accepted
from conformance.courses import Turn, course
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation, is_missing, request_id_of
from conformance.model.identity import ANYTHING, NOBODY, Identity
from conformance.trials.limit import trial_so_far
from conformance.trials.token_forms import MOST, doubtful_forms, no_tokens

REPEATS: Final = 2
"""How often a call without a token is made for what is there, and as often for what is not."""

_UNFINISHED: Final = b'["unfinished'

Ask = Callable[[Identity], Exchange]
Asked = tuple[Ask, Identity]


@dataclass
class Refusals:
    """The answers of one operation to whoever is no user.

    Of `without` every other one, the first included, and of `bad` all but the last asked for what exists.
    """

    without: list[Exchange] = field(default_factory=list)
    bad: list[Exchange] = field(default_factory=list)
    afterwards: Exchange | None = None
    """A reading with the token of the request that the readings here were refused; of deletions, a deletion."""


def refusals(service: UserClient, operation: Operation) -> Refusals:
    """Return how an operation answers to no token and to bad ones; raise NotDecided where no request can be named."""
    memory = service.session.memory
    name = f"refusals of {operation}"
    if name not in memory:
        if operation is Operation.CREATE:
            memory[name] = _creations(service)
        else:
            of_requests.prepare(service)()
    found: Refusals = memory[name]
    return found


@course(lambda service: 2 * (2 * REPEATS * service.session.target.budget.times + MOST + 1) + 5)
def of_requests(service: UserClient) -> Callable[[], object]:
    """Reads and deletes a request of the user without a token and with bad ones, and one that nobody has."""
    ask = _of_requests(service)

    def remembered() -> None:
        service.session.memory.update({f"refusals of {operation}": found for operation, found in ask().items()})

    return partial(service.once, "refusals of requests", remembered)


def _deleted_at_the_limit(service: UserClient) -> str | None:
    found = trial_so_far(service)
    missing = [ghost for ghost in found.ghosts if is_missing(ghost)] if found is not None else []
    return request_id_of(missing[0]) if missing else None


def deletions_alone(service: UserClient) -> Refusals:
    """Return how deletion answers to no token and to bad ones, asked anew, with nothing else under way."""
    return _of_requests(service)()[Operation.DELETE]


def _of_requests(service: UserClient) -> Callable[[], dict[Operation, Refusals]]:
    # One that was deleted, and found missing by its user: neither makes it anybody's business.
    gone = _deleted_at_the_limit(service)
    prepared = [
        (operation, put, no_tokens(service), service.some_uuid(), gone or service.some_uuid(), _word(service))
        for operation, put in ((Operation.READ, service.read), (Operation.DELETE, service.delete))
    ]

    def ask() -> dict[Operation, Refusals]:
        one = service.create().request_id
        service.read(one)  # whoever keeps what was read must not give it to others
        found = _refusals(
            service,
            {
                operation: _calls(
                    service,
                    callers,
                    partial(put, one),
                    partial(put, nobody),
                    gone=partial(put, gone),
                    odd=partial(put, word),
                )
                for operation, put, callers, nobody, gone, word in prepared
            },
        )
        # Nor may whoever keeps what was refused refuse it to its user.
        found[Operation.READ].afterwards = service.read(one)
        found[Operation.DELETE].afterwards = service.delete(one, open=True)
        return found

    return ask


def _word(service: UserClient) -> str:
    """Return what is no UUID: without a token nobody is to look whether it is."""
    return f"no-such-request-{service.session.chance.getrandbits(48):012x}"


def without_token(service: UserClient) -> list[Exchange]:
    """Return how the operations answer to no token, of requests that nobody has where none can be made."""
    found = refusals(service, Operation.CREATE).without
    try:
        return [*found, *refusals(service, Operation.READ).without, *refusals(service, Operation.DELETE).without]
    except NotDecided:
        nobody = service.some_uuid()
        return [*found, service.read(nobody, NOBODY), service.delete(nobody, NOBODY)]


def doubtful(service: UserClient) -> dict[Identity, list[Exchange]]:
    """Return how creation, reading and deletion answer to the token in forms that are open.

    They name a type and requests that nobody has: 400, 404 and 404 are then what a user is told, and nothing is made.
    """
    memory = service.session.memory
    if "doubtful credentials" not in memory:
        in_doubtful_forms.prepare(service)()
    found: dict[Identity, list[Exchange]] = memory["doubtful credentials"]
    return found


@course(12, turn=Turn.AFTER)
def in_doubtful_forms(service: UserClient) -> Callable[[], object]:
    """Asks the same of all three operations in each doubtful form."""
    callers, unknown, nobody = doubtful_forms(service), service.unknown_type(), service.some_uuid()
    asks: list[Ask] = [
        lambda caller: service.post([unknown], caller, open=True, unusual=True),
        lambda caller: service.read(nobody, caller, open=True, unusual=True),
        lambda caller: service.delete(nobody, caller, open=True, unusual=True),
    ]

    def go() -> None:
        answers = _side_by_side(service, [(ask, caller) for caller in callers for ask in asks])
        service.session.memory["doubtful credentials"] = {
            caller: answers[index * len(asks) : (index + 1) * len(asks)] for index, caller in enumerate(callers)
        }

    return go


def _creations(service: UserClient) -> Refusals:
    known, unknown = service.first_types(1), service.unknown_type()
    without, bad = _calls(
        service,
        no_tokens(service),
        partial(service.post, known),
        partial(service.post, [unknown]),
        otherwise=partial(service.post, None),
        # What is no list: nobody is to look. Its label is the right one, for which a route may be chosen.
        gone=partial(service.post_raw, _UNFINISHED),
    )
    odd = {
        "a made-up token": partial(service.post_raw, _UNFINISHED),
        "another scheme": partial(service.post_raw, b'{"dataRequested": []}'),
    }
    # What is asked last is asked again with a made-up token, for a list.
    calls = without, [*((odd.get(caller.label, ask), caller) for ask, caller in bad[:-1]), bad[-1]]
    found = _refusals(service, {Operation.CREATE: calls})[Operation.CREATE]
    for exchange in found.without + found.bad:
        made = service.created_if_possible(exchange) if accepted(exchange) else None
        if made is not None:
            service.delete(made.request_id)
    return found


def _calls(
    service: UserClient,
    callers: list[Identity],
    existing: Ask,
    missing: Ask,
    *,
    otherwise: Ask | None = None,
    gone: Ask | None = None,
    odd: Ask | None = None,
) -> tuple[list[Asked], list[Asked]]:
    """Return what is asked without a token, and what with bad ones."""
    times = REPEATS * service.session.target.budget.times
    languages = islice(cycle([*service.tags(), ""]), 3)
    abroad, elsewhere, browser = (replace(NOBODY, language=each) for each in languages)
    browser = replace(browser, accept=ANYTHING)  # who is sent to a login page where JSON is not asked for
    turns = [
        (existing, NOBODY),
        (odd or missing, abroad),
        (otherwise or existing, browser),
        (gone or missing, elsewhere),
    ]
    return turns * (times // 2), [*((existing, caller) for caller in callers), (missing, callers[0])]


def _refusals(
    service: UserClient, calls: dict[Operation, tuple[list[Asked], list[Asked]]]
) -> dict[Operation, Refusals]:
    answers = iter(_side_by_side(service, [call for both in calls.values() for each in both for call in each]))
    return {
        operation: Refusals(list(islice(answers, len(without))), list(islice(answers, len(bad))))
        for operation, (without, bad) in calls.items()
    }


def _side_by_side(service: UserClient, calls: list[Asked]) -> list[Exchange]:
    def asking(ask: Ask, caller: Identity) -> Callable[[], Exchange]:
        return lambda: ask(caller)

    return service.session.side_by_side([asking(*call) for call in calls])
