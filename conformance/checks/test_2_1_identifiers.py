"""Clause 2.1: requestId is random, unique, not incremental, and carries nothing of the requester."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import pytest

from conformance.check import Observe, last, requirement
from conformance.client.user import UserClient
from conformance.model.errors import NotDecided, RequirementViolated, answer_of
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import OTHER_USER, USER
from conformance.randomness import guesses, names
from conformance.randomness.battery import NOT_INCREMENTAL, NOT_TIME_ORDERED, RANDOM
from conformance.randomness.clocks import BESIDE_A_CLOCK
from conformance.randomness.evidence import odds
from conformance.randomness.examination import Examination, examine
from conformance.randomness.numbers import HIGHEST, Hashed, addressed, hashed
from conformance.randomness.sample import FEWEST, Drawn, drawn_for, enough
from conformance.scenarios.basic import DataMe
from conformance.scenarios.identifiers import Sampling, too_few


@pytest.fixture
def identifiers(service: UserClient, sampling: Sampling) -> Examination:
    """The identifiers of all requests that the run created as its user, as many as are enough where that can be."""
    drawn = tuple(each for each, _ in drawn_for(service.record.exchanges, USER.label))
    if len(drawn) < FEWEST:
        raise too_few(service, sampling)
    return examine(drawn)


def _broken(service: UserClient, demand: str, message: str, *shown: Drawn) -> RequirementViolated:
    """Return the finding on identifiers, with the exchanges of those to show, or of the first ones."""
    of_drawn = drawn_for(service.record.exchanges, USER.label)
    exchanges = [exchange for each, exchange in of_drawn if not shown or each in shown]
    ids = ", ".join(str(each.id) for each in shown or [each for each, _ in of_drawn[:4]])
    return RequirementViolated(
        message,
        expected=f"{demand} identifiers",
        actual=ids if shown else f"{ids} …",
        exchanges=exchanges[:3],
    )


def _refute(service: UserClient, examined: Examination, of_requirement: str, demand: str) -> None:
    against = examined.against(of_requirement)
    if against is not None and against.found is not None:
        raise _broken(
            service,
            demand,
            f"requestId is not {demand}: {against.found.message}. "
            f"A random generator looks so {odds(against.found.probability)}, or less often.",
        )


@last
@requirement(RANDOM)
def test_identifiers_are_random(
    service: UserClient, sampling: Sampling, identifiers: Examination, observe: Observe
) -> None:
    """The free bits of the identifiers, or what a clock leaves of them, behave like fair coins."""
    if identifiers.time_based:
        raise _broken(service, "random", f"requestId is not random: {identifiers.time_based}.")
    others = [each for each, _ in drawn_for(service.record.exchanges, OTHER_USER.label)]
    if found := guesses.timed(identifiers.sample.drawn) or guesses.timed(others):
        drawn, how = found
        raise _broken(service, "random", f"requestId {drawn.id} is {how}: it was not drawn at random.", drawn)
    if (small := _numbered(service, identifiers)) and not small.counts:
        raise _broken(
            service,
            "random",
            f"requestId {small.drawn[0].id} is {small.how}, and of {small.of} identifiers {len(small.numbers)} are "
            f"hashes of numbers below {HIGHEST}: few bits were drawn at random, or none.",
            *small.drawn,
        )
    if (starved := identifiers.starved) and starved.clock:
        raise _broken(
            service,
            "random",
            f"requestId is not random: {starved.clock.told}, and of the rest only "
            f"{len(starved.rest.positions)} bits ever change; {BESIDE_A_CLOCK} random ones are asked for.",
        )
    _refute(service, identifiers, RANDOM, "random")
    seen = len(identifiers.sample.drawn)
    if seen < (wanted := enough(service.session.target.budget)):
        observe(
            f"Only {seen} identifiers were seen where {wanted} were wanted: with fewer, larger defects than those that "
            f"the report names beside each test could go unseen. {too_few(service, sampling).remedy}"
        )


@last
@requirement(NOT_INCREMENTAL)
def test_identifiers_are_not_counted(service: UserClient, identifiers: Examination) -> None:
    """No part of the identifiers counts from one request to the next, and none is the hash of a small number."""
    _refute(service, identifiers, NOT_INCREMENTAL, "free of counters")
    if (small := _numbered(service, identifiers)) and small.counts:
        message = f"requestId {small.drawn[0].id} is {small.how}: it can be had by counting."
        raise _broken(service, "uncounted", message, *small.drawn)


@last
@requirement(NOT_TIME_ORDERED)
def test_identifiers_do_not_grow_with_time(service: UserClient, identifiers: Examination) -> None:
    """No part of the identifiers tells the time, or only rises or falls over the run."""
    if identifiers.clock:
        raise _broken(service, "unordered", f"requestId is not free of any order in time: {identifiers.clock.told}.")
    _refute(service, identifiers, NOT_TIME_ORDERED, "free of any order in time")


@last
@requirement("2.1-requestId-unrelated")
def test_identifiers_carry_nothing_of_the_requester(
    service: UserClient, identifiers: Examination, data_me: DataMe
) -> None:
    """No identifier can be computed from what is known of the account, nor tells one user from another."""
    known = service.known_of_account(data_me.best)
    drawn = identifiers.sample.drawn
    demand = "unrelated"
    for name, value in known.items():
        what = names.carried([each.id for each in drawn], [value])
        if what is not None:
            message = f"Every requestId carries {what.format(name=name)}: it relates to the requester."
            raise _broken(service, demand, message)
    others = [each for each, _ in drawn_for(service.record.exchanges, OTHER_USER.label)]
    of_other = (
        {"the access token of the other user": service.session.credentials[OTHER_USER.label].token.current()}
        if others
        else {}
    )
    found = _of_names(drawn, known) or _of_names(others, of_other)
    if found is not None:
        one, how = found
        raise _broken(service, demand, f"requestId {one.id} is {how}: it relates to the requester.", one)
    if same := names.tied(identifiers.rest, others):
        raise _broken(
            service,
            demand,
            f"{same} bits of requestId are the same in all {len(drawn)} identifiers of one user, and not the same in "
            "that of another user, drawn in between: they relate to the requester.",
        )


@last
@pytest.mark.usefixtures("sampling")
@requirement("2.1-requestId-unique")
def test_no_identifier_is_given_twice(service: UserClient) -> None:
    """No identifier of the run repeats, those of parallel creations and of deleted requests included."""
    refused = None
    try:
        service.creations()
    except NotDecided as error:  # identifiers that repeat may be why no more can be made
        refused = error
    seen: dict[str, Exchange] = {}
    for exchange in service.record.answered(Operation.CREATE, 200, 201, 202):
        value = answer_of(exchange).document.value
        given = value.get("requestId") if isinstance(value, dict) else None
        if not isinstance(given, str):
            continue
        earlier = seen.setdefault(given.lower(), exchange)
        if earlier is not exchange:
            named = given or "'' (an empty string)"
            raise RequirementViolated(
                f"A creation returned the existing request with requestId {named}, instead of a new one."
                if _is_the_same(earlier, exchange)
                else f"requestId {named} was given to two requests.",
                expected="a new requestId for every request",
                actual=f"{named} in {earlier.id} and again in {exchange.id}",
                exchanges=[earlier, exchange],
            )
    if refused is not None:
        raise refused
    if len(seen) < 2:
        service.create()
        raise NotDecided("No two identifiers were seen, so that none could repeat.", remedy="See 2.1-requestId.")


def _is_the_same(earlier: Exchange, later: Exchange) -> bool:
    """Tell whether two creations returned one request: the moment and the types are the same."""
    shown = [answer_of(each).document.value for each in (earlier, later)]
    return all(shown[0].get(name) == shown[1].get(name) for name in ("createdAt", "dataRequested"))


def _numbered(service: UserClient, identifiers: Examination) -> Hashed | None:
    drawn = identifiers.sample.drawn
    return hashed(drawn) or addressed(drawn, service.session.target.base_url)


def _of_names(drawn: Sequence[Drawn], known: Mapping[str, str]) -> tuple[Drawn, str] | None:
    return _derived(drawn, known) or guesses.named(drawn, islice(known.items(), guesses.MOST_NAMES))


def _derived(drawn: Sequence[Drawn], known: Mapping[str, str]) -> tuple[Drawn, str] | None:
    for each in drawn:
        for name, value in known.items():
            how = names.derived(each.id, [value])
            if how is not None:
                return each, how.format(name=name)
    return None
