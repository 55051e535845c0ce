"""The sampling scenario: creates requests for their identifiers, as many at a time as there is room (2.1, 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, cycle, islice
from typing import Any, Final

from conformance.client import encodings as writing
from conformance.client.api import MOST_TYPES, Api
from conformance.facts.answers import accepted
from conformance.identifiers import derivation
from conformance.identifiers.carried import User, constant_parts, part_of_account
from conformance.identifiers.sample import FEWEST, ObservedId, enough, observed_ids
from conformance.model.account import jwt_claims, scalars
from conformance.model.errors import NotDecided, answer_of, in_words
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import OTHER_USER, USER, USER_BROWSING, Derivation, Identity
from conformance.model.text import count, shorten
from conformance.model.verdict import Blame
from conformance.scenarios.basic import data_me
from conformance.scenarios.places import places
from conformance.scenarios.registry import scenario

MOST_VALUES: Final = 2_000
"""Most values of an account that are searched in identifiers."""


@dataclass
class Round:
    """Simultaneous creations, and the deletions of their requests."""

    creations: list[Exchange]
    deletions: list[Exchange] = field(default_factory=list)


@dataclass
class Sampling:
    """All creations for identifiers."""

    rounds: list[Round] = field(default_factory=list)
    undecided: NotDecided | None = None
    """The reason for the end, if the last round does not show it."""
    too_few: NotDecided | None = None
    """Why the run saw no more identifiers, where it saw fewer than it needs."""


@scenario()
def sampling(service: Api) -> Sampling:
    """Creates and deletes requests until there are enough identifiers or the service gives no more."""
    found = Sampling()
    try:
        _sample(service, found.rounds)
    except NotDecided as error:  # the identifiers before the end of a budget may be enough
        found.undecided = error
    seen = len(observed_ids(service.record.exchanges, USER.label))
    if seen < max(FEWEST, enough(service.session.target.budget)):
        found.too_few = too_few(service, found)
    return found


@scenario()
def derived(service: Api) -> Derivation:
    """How identifiers derive from known data of the account; the other user may create one, which tells them apart."""
    sampling.result(service)
    me = data_me.result(service).best
    ids = _ids(service, USER)
    if len(ids) < FEWEST:
        return Derivation()
    other = _account_of_other_user(service, ids)
    user = User(ids, _known_of_account(service, me) | _known_of_calls(service))
    return _derivation(service, user, User(_ids(service, OTHER_USER), other))


def _ids(service: Api, user: Identity) -> list[ObservedId]:
    return [each for each, _ in observed_ids(service.record.exchanges, user.label)]


def _account_of_other_user(service: Api, ids: Sequence[ObservedId]) -> Mapping[str, str]:
    """Return what the account of the other user tells, if identifiers of the user have a part in common.

    The other user creates a request then, unless there are identifiers of that user already.
    """
    if OTHER_USER.label not in service.session.credentials or not constant_parts(ids):
        return {}
    if not _ids(service, OTHER_USER):
        with suppress(NotDecided):
            service.session.remove(service.created(service.post(service.first_types(1), OTHER_USER)).request_id)
    return _known_of_account(service, service.data_me(OTHER_USER), OTHER_USER)


def _derivation(service: Api, user: User, other: User) -> Derivation:
    """Return how the identifiers derive from known data of the account, such as a token."""
    what = part_of_account(user, other)
    if what and other.ids:
        return Derivation("", what)
    recomputed = derivation.of_requester(user.ids, user.account)
    if not recomputed and other.ids:
        token = service.session.credentials[OTHER_USER.label].current()
        recomputed = derivation.of_requester(other.ids, {"the access token of the other user": token})
    if recomputed:
        return Derivation(str(recomputed.observed.id), recomputed.derivation)
    return Derivation("", what, _NO_OTHER) if what else Derivation()


def _known_of_account(service: Api, me: Exchange, caller: Identity = USER) -> dict[str, str]:
    """Return what the account of a user tells, each value under its name: the token, its claims.

    `me` is the answer to GET /data/me with the token.
    """
    token = service.session.credentials[caller.label].current()
    known = {"the access token": token}
    known |= {f"the token's claim {claim}": value for claim, value in jwt_claims(token).items()}
    if me.counts and answer_of(me).status == 200 and not answer_of(me).document.problem:
        for path, value in islice(scalars(service.session.personal.received(me)), MOST_VALUES):
            known[f"{path} of GET /data/me"] = value
    # An account record may list the requests; an identifier is not derived from itself.
    journal = service.session.journal
    own = {request_id.lower() for ids in (journal.live, journal.gone, journal.lost) for request_id in ids}
    return {name: value for name, value in known.items() if len(value) >= 3 and value.lower() not in own}


def _known_of_calls(service: Api) -> dict[str, str]:
    """Return what the calls tell of the requester, as `_known_of_account` does."""
    known = {"the access token": service.session.credentials[USER.label].current()}
    known["the User-Agent of its calls"] = service.session.user_agent
    known |= {f"the data type {shorten(name, 40)}": name for name in service.types()[:MOST_TYPES]}
    return {name: value for name, value in known.items() if len(value) >= 3}


_NO_OTHER: Final = (
    "It relates to the requester unless identifiers of other users have it too, and the run has none of another user."
)


_WAYS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"written": writing.on_lines},
    {"caller": USER_BROWSING},
    {"written": writing.apart},
    {"written": writing.tight},
)
"""The encodings of clients, with and without asking for JSON."""


def _in_turn(service: Api) -> Iterator[str]:
    """Yield the languages of the service and none, repeatedly: the answers do not depend on them.

    None follows twice if each language would otherwise always have the same encoding.
    """
    languages = [*service.tags(), ""]
    return cycle([*languages, ""] if len(languages) % len(_WAYS) == 0 else languages)


def _in(languages: Iterator[str], caller: Identity) -> Identity:
    return replace(caller, language=next(languages))


def _sample(service: Api, rounds: list[Round]) -> None:
    types = service.first_types(1)
    budget, journal = service.session.target.budget, service.session.journal
    missing = enough(budget) - len(observed_ids(service.record.exchanges, USER.label))
    missing = min(missing, budget.max_created - journal.spent)
    width = min(budget.concurrency, places(service))
    # Two rounds at the beginning, because existing identifiers must not be given again.
    ways: Iterator[dict[str, Any]] = chain([{"types": None}] * 2, cycle(_WAYS))
    creators, removers = _in_turn(service), _in_turn(service)
    while missing > 0 and width > 0:
        at_once = min(missing, width)
        creating = [
            partial(service.post, **{"types": types} | how | {"caller": _in(creators, how.get("caller", USER))})
            for how in islice(ways, at_once)
        ]
        this = Round(service.session.parallel(creating))
        rounds.append(this)
        created = [service.created_if_possible(each) for each in this.creations]
        # Chance decides which creation received which identifier; the calls follow the order of the creations.
        ids = sorted(each.request_id for each in created if each is not None)
        this.deletions = service.session.parallel(
            [
                partial(service.delete, each, _in(removers, USER if place else USER_BROWSING))
                for place, each in enumerate(ids)
            ]
        )
        missing -= len(ids)
        # If deletions free no places, fewer requests are possible at a time.
        width = min(sum(map(accepted, this.deletions)), len(ids))


def too_few(service: Api, sampling: Sampling) -> NotDecided:
    """Return the finding on a run with too few identifiers, with its cause and remedy."""
    seen = len(observed_ids(service.record.exchanges, USER.label))
    creations = [each for each in service.record.in_order() if each.operation is Operation.CREATE]
    made = [each for each in creations if each.request.credential == USER.label and accepted(each)]
    cause = sampling.undecided or _cause(service, sampling, made)
    if not made:
        return cause
    why = f"{cause.message[:1].upper()}{cause.message[1:]}"
    return NotDecided(
        f"The run saw only {count(seen, 'identifier')}; {FEWEST} are needed to judge whether they are random. {why}",
        blame=cause.blame,
        remedy=cause.remedy,
        exchanges=cause.exchanges,
    )


def _cause(service: Api, found: Sampling, made: list[Exchange]) -> NotDecided:
    """Return why the last round was the last: what it did not create or delete, the identifiers, or the budget."""
    last = found.rounds[-1] if found.rounds else Round([])
    refused = [each for each in last.creations if service.created_if_possible(each) is None]
    kept = [each for each in last.deletions if not accepted(each)]
    if refused and not accepted(refused[0]):
        return service.why_not_created(refused[0])
    if kept:
        message = f"No more could be created, because a deletion answered {in_words(kept[0])}."
        return NotDecided(message, exchanges=kept[:1])
    drawn = {exchange.id for _, exchange in observed_ids(made, USER.label)}
    if unusable := [each for each in made if each.id not in drawn]:
        return NotDecided(
            f"{len(unusable)} of {len(made)} accepted creations gave no requestId that is a UUID.",
            exchanges=unusable[:3],
        )
    return NotDecided(
        f"The run has used its budget of {count(service.session.target.budget.max_created, 'creation')}.",
        blame=Blame.CONFIGURATION,
        remedy=service.session.to_create_more(),
    )
