"""The scenarios of identifiers: creations for their sake, and how they derive from data of the account (2.1, 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice, product
from typing import Final

from conformance.facts.answers import accepted
from conformance.judge.identifiers import derivation
from conformance.judge.identifiers.derivation import User, constant_parts, part_of_account
from conformance.judge.identifiers.sample import FEWEST, ObservedId, enough, observed_ids
from conformance.model.account import jwt_claims, scalars
from conformance.model.errors import NotDecided, answer_of, in_words
from conformance.model.exchange import Exchange
from conformance.model.identity import (
    AS_A_BROWSER,
    OTHER_USER,
    USER,
    USER_BROWSING,
    Derivation,
    Identity,
    created_by,
)
from conformance.model.text import count, shorten
from conformance.model.verdict import Blame
from conformance.scenarios.api import MOST_TYPES, Api
from conformance.scenarios.basic import data_me
from conformance.scenarios.limit import places
from conformance.scenarios.registry import scenario

_NO_OTHER: Final = (
    "It relates to the requester unless identifiers of other users have it too, and the run has none of another user."
)


MOST_VALUES: Final = 2_000
"""Values of an account that are searched in identifiers: among more, some agree with a constant part by chance."""


@dataclass(frozen=True)
class Sampling:
    """The end of the creations for identifiers."""

    too_few: NotDecided | None = None
    """Why the run saw no more identifiers, where it saw fewer than it needs."""


@scenario()
def sampling(service: Api) -> Sampling:
    """Creates and deletes requests until there are enough identifiers or the service gives no more."""
    try:
        cause = _sample(service)
    except NotDecided as error:  # the identifiers before the end of a budget may be enough
        cause = error
    if cause is None or not (seen := len(_ids(service, USER))):
        return Sampling(cause)
    return Sampling(
        NotDecided(
            f"The run saw only {count(seen, 'identifier')}; {FEWEST} are needed to judge whether they are random. "
            f"{cause.message[:1].upper()}{cause.message[1:]}",
            blame=cause.blame,
            remedy=cause.remedy,
            exchanges=cause.exchanges,
        )
    )


def _sample(service: Api) -> NotDecided | None:
    """Create for identifiers, as many at a time as there is room; return why the run saw too few, or None."""
    session, types = service.session, cycle([[each] for each in service.first_types(MOST_TYPES) or ()] or [None])
    # Clients ask for JSON, for anything or for a page, each in any language: the answers are the same.
    forms = USER, USER_BROWSING, replace(USER, variation=AS_A_BROWSER)
    callers = cycle(replace(each, language=tag) for each, tag in product(forms, [*service.tags(), "", "*"]))
    budget, width = session.target.budget, min(session.target.budget.concurrency, places(service))
    while (missing := enough(budget) - len(_ids(service, USER))) > 0:
        if (left := budget.max_created - session.journal.spent) <= 0:
            return NotDecided(
                f"The run has used its budget of {count(budget.max_created, 'creation')}.",
                blame=Blame.CONFIGURATION,
                remedy=session.to_create_more(),
            )
        creations = session.parallel(
            [partial(service.post, next(types), next(callers)) for _ in range(min(missing, left, width))]
        )
        # Chance decides which creation received which identifier; the calls follow the order of the identifiers.
        ids = sorted(made.request_id for made in map(created_by, creations) if made is not None)
        deletions = session.parallel([partial(service.delete, each, next(callers)) for each in ids])
        if enough(budget) - len(_ids(service, USER)) == missing:
            return _why_none(service, creations)
        # If deletions free no places, fewer requests are possible at a time.
        width = sum(accepted(each.response) for each in deletions)
        if width == 0:
            message = f"No more could be created, because a deletion answered {in_words(deletions[0])}."
            return NotDecided(message, exchanges=deletions[:1])
    return None


def _why_none(service: Api, creations: Sequence[Exchange]) -> NotDecided:
    """Return why creations gave no identifier."""
    if refused := [each for each in creations if not accepted(each.response)]:
        return service.why_not_created(refused[0])
    return NotDecided("An accepted creation gave no requestId that is a UUID.", exchanges=creations[:1])


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
    if OTHER_USER.label not in service.users or not constant_parts(ids):
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
        return Derivation(str(recomputed.ids[0].id), recomputed.how)
    return Derivation("", what, _NO_OTHER) if what else Derivation()


def _known_of_account(service: Api, me: Exchange, caller: Identity = USER) -> dict[str, str]:
    """Return what the account of a user tells, each value under its name: the token, its claims.

    `me` is the answer to GET /data/me with the token.
    """
    journal = service.session.journal
    token = service.session.credentials[caller.label].current()
    known = {"the access token": token}
    known |= {f"the token's claim {claim}": value for claim, value in jwt_claims(token).items()}
    if me.counts and answer_of(me).status == 200 and not answer_of(me).document.problem:
        for path, value in islice(scalars(service.session.personal.received(me)), MOST_VALUES):
            known[f"{path} of GET /data/me"] = value
    # An account record may list the requests; an identifier is not derived from itself.
    own = {request_id.lower() for ids in (journal.live, journal.gone, journal.lost) for request_id in ids}
    return {name: value for name, value in known.items() if len(value) >= 3 and value.lower() not in own}


def _known_of_calls(service: Api) -> dict[str, str]:
    """Return what the calls tell of the requester, as `_known_of_account` does."""
    known = {"the User-Agent of its calls": service.session.user_agent}
    known |= {f"the data type {shorten(name, 40)}": name for name in service.types()[:MOST_TYPES]}
    return {name: value for name, value in known.items() if len(value) >= 3}
