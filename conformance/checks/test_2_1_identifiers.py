"""Clause 2.1: requestId is random, unique, not incremental, and carries nothing of the requester."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

import pytest

from conformance import randomness
from conformance.check import last, requirement
from conformance.exchange import Exchange, Operation
from conformance.expect import Broken, Undecided, answer_of
from conformance.formats import is_uuid
from conformance.randomness import ENOUGH, ERROR, Evidence
from conformance.service import USER, Service
from conformance.verdict import Blame

FEWEST = 16
"""With fewer identifiers a pass would say little, so there is none."""


@pytest.fixture
def sample(service: Service) -> list[tuple[UUID, Exchange]]:
    """The identifiers of all requests that the run created one after another, at least 32 where the budget allows."""
    while len(seen := list(_identifiers(service))) < ENOUGH and not service.session.memory.get("sample ended"):
        try:
            service.delete(service.create().request_id)
        except Undecided:
            service.session.memory["sample ended"] = True
        if len(list(_identifiers(service))) == len(seen):
            break
    if len(seen) < FEWEST:
        raise Undecided(
            f"Only {len(seen)} identifiers were seen; {FEWEST} are needed to judge whether they are random.",
            blame=Blame.CONFIGURATION,
            remedy="Raise --max-created, or mend what keeps requests from being created.",
        )
    return seen


def _identifiers(service: Service) -> Iterator[tuple[UUID, Exchange]]:
    for exchange in service.record.answered(Operation.CREATE, 200, 201, 202):
        value = answer_of(exchange).document.value
        given = value.get("requestId") if isinstance(value, dict) else None
        own = exchange.question.credential == USER.label and not exchange.facts.get("racing")
        if own and isinstance(given, str) and is_uuid(given):
            yield UUID(given), exchange


def _refute(evidence: Evidence | None, demand: str, sample: list[tuple[UUID, Exchange]], tests: int = 5) -> None:
    if evidence is None or evidence.probability >= ERROR / tests:
        return
    ids = [str(one) for one, _ in sample]
    raise Broken(
        f"requestId is not {demand}: {evidence.message}. "
        f"A random generator looks so with probability {evidence.probability:.0e} at most.",
        expected=f"{demand} identifiers",
        actual=", ".join(ids[:4]) + " …",
        exchanges=[exchange for _, exchange in sample[:3]],
    )


@last
@requirement("2.1-requestId-unique")
def test_no_identifier_is_given_twice(service: Service) -> None:
    """No identifier of the run repeats, those of parallel creations and of deleted requests included."""
    service.creations()
    seen: dict[str, Exchange] = {}
    for exchange in service.record.answered(Operation.CREATE, 200, 201, 202):
        value = answer_of(exchange).document.value
        given = value.get("requestId") if isinstance(value, dict) else None
        if not isinstance(given, str):
            continue
        earlier = seen.setdefault(given.lower(), exchange)
        if earlier is not exchange:
            raise Broken(
                f"requestId {given} was given to two requests.",
                expected="a new requestId for every request",
                actual=f"{given} in {earlier.id} and again in {exchange.id}",
                exchanges=[earlier, exchange],
            )


@last
@requirement("2.1-requestId-random")
def test_identifiers_are_random(sample: list[tuple[UUID, Exchange]]) -> None:
    """The free bits of the identifiers behave like fair coins, and no clock stands where version 1 or 6 keeps it."""
    ids = [one for one, _ in sample]
    now = datetime.now(UTC)

    _refute(randomness.clock_inside(ids, now), "random", sample)
    rest = list(dict.fromkeys(randomness.without(ids, randomness.clock_window(ids, now))))
    _refute(randomness.constant_bits(rest), "random", sample)
    _refute(randomness.dependent(rest), "random", sample)
    _refute(randomness.unbalanced(rest), "random", sample)
    _refute(randomness.alike(rest), "random", sample)


@last
@requirement("2.1-requestId-not-incremental")
def test_identifiers_are_not_counted(sample: list[tuple[UUID, Exchange]]) -> None:
    """No part of the identifiers moves by small steps from one request to the next."""
    ids = [one for one, _ in sample]
    now = datetime.now(UTC)
    # A clock, of whatever version, is another matter than a counter.
    clock = (0, 8) if randomness.clock_inside(ids, now) else randomness.clock_window(ids, now)
    rest = randomness.without(ids, clock)

    _refute(randomness.small_steps(rest), "free of counters", sample)


@last
@requirement("2.1-requestId-not-time-ordered")
def test_identifiers_do_not_grow_with_time(sample: list[tuple[UUID, Exchange]]) -> None:
    """No part of the identifiers only rises or only falls over the run."""
    ids = [one for one, _ in sample]
    if window := randomness.clock_window(ids, datetime.now(UTC)):
        start, width = window
        clock = Evidence(f"bytes {start} to {start + width - 1} hold the time of creation", 0.0)
        _refute(clock, "free of any order in time", sample)
    _refute(randomness.monotone(ids), "free of any order in time", sample)


@last
@requirement("2.1-requestId-unrelated")
def test_identifiers_carry_nothing_of_the_requester(service: Service, sample: list[tuple[UUID, Exchange]]) -> None:
    """No identifier can be computed from what is known of the account."""
    known = service.known_of_account()
    for name, value in known.items():
        what = randomness.carried([one for one, _ in sample], [value])
        if what is not None:
            raise Broken(
                f"Every requestId carries {what.format(name=name)}: it relates to the requester.",
                expected="identifiers that share nothing with what is known of the requester",
                actual=", ".join(str(one) for one, _ in sample[:3]),
                exchanges=[exchange for _, exchange in sample[:3]],
            )

    for one, exchange in sample:
        for name, value in known.items():
            how = randomness.derived(one, [value])
            if how is not None:
                raise Broken(
                    f"requestId {one} is {how.format(name=name)}: it relates to the requester.",
                    expected="an identifier that nothing known of the requester leads to",
                    actual=str(one),
                    exchanges=[exchange],
                )
