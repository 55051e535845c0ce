"""Clause 2.1: requestId is random, unique, not incremental, and carries nothing of the requester."""

from __future__ import annotations

from typing import Final

from conformance.checks.marks import Observe, at_the_end, requirement, traces
from conformance.judge.identifiers import derivation
from conformance.judge.identifiers.analysis import (
    ALL_RANDOM,
    FEWEST_BITS,
    NOT_INCREMENTAL,
    NOT_TIME_ORDERED,
    Analysis,
    analyse,
)
from conformance.judge.identifiers.generators import (
    GUESSED_SEEDS,
    drawn_by_java,
    drawn_by_python,
    drawn_by_splitmix,
    drawn_by_v8,
)
from conformance.judge.identifiers.sample import FEWEST, FREE, ObservedId, enough, observed_ids
from conformance.judge.identifiers.statistics import neighbours
from conformance.judge.run import Run
from conformance.model.errors import NotDecided, Probe, RequirementViolated
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import OTHER_USER, USER, Derivation, Identity
from conformance.model.text import odds
from conformance.model.verdict import Blame
from conformance.scenarios.identifiers import Sampling


def _analysis(run: Run, sampling: Sampling) -> Analysis:
    """Return the analysis of all identifiers that the service gave to the user, also those created for this purpose."""
    observed = observed_ids(run.record.exchanges, USER.label)
    ids = [each for each, _ in observed]
    run.rests_on(exchange for _, exchange in observed)
    if len(ids) < FEWEST:
        raise sampling.too_few or NotDecided(f"The run saw {len(ids)} identifiers, fewer than {FEWEST}.")
    return analyse(tuple(ids))


def _ids(run: Run, user: Identity) -> list[ObservedId]:
    return [each for each, _ in observed_ids(run.record.exchanges, user.label)]


def _violated(run: Run, wanted: str, message: str, *shown: ObservedId) -> RequirementViolated:
    """Return the finding on identifiers, which should be `wanted`, with the exchanges of `shown` or the first ones."""
    observed = observed_ids(run.record.exchanges, USER.label)
    exchanges = [exchange for each, exchange in observed if not shown or each in shown]
    ids = ", ".join(str(each.id) for each in shown or [each for each, _ in observed[:4]])
    actual = ids if shown else f"{ids}, the first 4 of {len(observed)}"
    return RequirementViolated(
        message, expected=f"identifiers that are {wanted}", actual=actual, exchanges=exchanges[:3]
    )


def _assert_no_evidence(run: Run, identifiers: Analysis, requirement_id: str, what: str, wanted: str) -> None:
    if (evidence := identifiers.against(requirement_id)) is not None:
        message = f"requestId is {what}: {evidence.message}. A random generator produces this, or worse, at most "
        raise _violated(run, wanted, f"{message}{odds(evidence.probability)}.")


_of_a_sample: Final = traces("""
         sampling = {}
    FAIL POST [a] -> 200 c1 ... c16
    PASS POST [a] -> 200 r1 ... r16
""")
"""Identifiers that count, and random ones."""


@at_the_end
@requirement("2.1-requestId-random")
@_of_a_sample
def test_identifiers_are_random(run: Run, sampling: Sampling) -> None:
    """The identifiers can hold 64 random bits: no hash of the moment of creation, and no generator that they tell."""
    identifiers = _analysis(run, sampling)
    ids = identifiers.sample.ids
    if hashed := derivation.hashed_moment(ids) or derivation.hashed_moment(_ids(run, OTHER_USER)):
        message = f"requestId {hashed.observed.id} is {hashed.derivation}, so it is not random."
        raise _violated(run, "random", message, hashed.observed)
    for drawn_by, generator in _GENERATORS.items():
        if (drawn := drawn_by((ids[0], ids[-1]))) is not None:
            message = f"requestId {drawn.id} is drawn from {generator}: it tells the next requestId."
            raise _violated(run, "random", message, drawn)
    if (few := identifiers.too_few_bits) is not None:
        clock = f"{identifiers.clock.description}, and " if identifiers.clock else ""
        message = (
            f"requestId is not random: {clock}its identifiers hold at most {few} random bits, of the "
            f"{FEWEST_BITS} that an identifier needs so that no one guesses it."
        )
        raise _violated(run, "random", message)
    everyone = sorted((*ids, *_ids(run, OTHER_USER)), key=lambda one: one.began)
    if (seeded := drawn_by_python(everyone, GUESSED_SEEDS)) is not None:
        one, seed = seeded
        message = (
            f"requestId {one.id} is drawn from random.Random of Python with the seed {seed!r}: it tells all others."
        )
        raise _violated(run, "random", message, one)
    numbers = [one.id.int for one in everyone]
    if near := neighbours(numbers, identifiers.clock.bits if identifiers.clock else FREE):
        shown = [next(one for one in everyone if one.id.int == each) for each in near]
        message = (
            f"requestId {shown[0].id} and {shown[1].id} differ in {(near[0] ^ near[1]).bit_count()} of 128 bits: one "
            f"tells the other. With {FEWEST_BITS} random bits this happens at most once in 10^8 runs."
        )
        raise _violated(run, "random", message, *shown)
    if (pair := drawn_by_v8(numbers)) is not None:
        shown = [one for one in everyone if one.id.int in pair]
        message = (
            f"requestId {shown[0].id} and {shown[1].id} are drawn one after the other from Math.random() of V8, whose "
            "state has 128 bits: two identifiers tell it, and with it the next ones."
        )
        raise _violated(run, "random", message, *shown)


_GENERATORS: Final = {
    drawn_by_java: "java.util.Random, which has 48 bits",
    drawn_by_splitmix: "SplitMix64, as of ThreadLocalRandom in Java",
}
"""Those of which one identifier tells the next, in words."""


@at_the_end
@requirement("2.1-requestId-all-random")
@_of_a_sample
def test_all_bits_of_the_identifiers_are_random(run: Run, sampling: Sampling, observe: Observe) -> None:
    """The free bits of the identifiers, or those beside a clock, behave like fair coins."""
    identifiers = _analysis(run, sampling)
    ids = identifiers.sample.ids
    _assert_no_evidence(run, identifiers, ALL_RANDOM, "not random in all its bits", "random in all their bits")
    if len(ids) < (wanted := enough(run.target.budget)) and sampling.too_few is not None:
        observe(
            f"The run saw only {len(ids)} of the {wanted} identifiers that it needs: it may have missed defects that "
            f"the report names beside each test, and larger ones. {sampling.too_few.remedy}"
        )


@at_the_end
@requirement("2.1-requestId-not-incremental")
@_of_a_sample
def test_identifiers_are_not_counted(run: Run, sampling: Sampling) -> None:
    """No part of the identifiers counts, and they are no hashes of a counter."""
    identifiers = _analysis(run, sampling)
    _assert_no_evidence(run, identifiers, NOT_INCREMENTAL, "a counter", "no counter")
    if hashed := derivation.hashed_counter(identifiers.sample.ids):
        message = f"requestId {hashed[0].observed.id} is {hashed[0].derivation}: counting produces the next one."
        raise _violated(run, "no counter", message, *(each.observed for each in hashed))
    if identifiers.clock is None and identifiers.against(NOT_TIME_ORDERED) is not None:
        raise NotDecided(
            "A part of requestId rises or falls with time and leaves out most numbers: a clock that the suite does not "
            "know, or a counter that others move as well."
        )


@at_the_end
@requirement("2.1-requestId-not-time-ordered")
@_of_a_sample
def test_identifiers_do_not_grow_with_time(run: Run, sampling: Sampling) -> None:
    """No part of the identifiers contains the time, or only rises or falls over the run."""
    identifiers = _analysis(run, sampling)
    if identifiers.clock:
        message = f"requestId is ordered in time: {identifiers.clock.description}."
        raise _violated(run, "not ordered in time", message)
    _assert_no_evidence(run, identifiers, NOT_TIME_ORDERED, "ordered in time", "not ordered in time")


@at_the_end
@requirement("2.1-requestId-unrelated")
@traces("""
         sampling = {}
         POST [a] -> 200 r1 ... r16
    FAIL derived = {"how": "the number of the account"}
    PASS derived = {}
""")
def test_identifiers_carry_nothing_of_the_requester(run: Run, sampling: Sampling, derived: Derivation) -> None:
    """No identifier derives from known data of the account, or carries a part of it that no other user's has."""
    identifiers = _analysis(run, sampling)
    id_, how = derived.id, derived.how
    if derived.doubt:
        raise NotDecided(
            f"Every requestId carries {how}. {derived.doubt}",
            blame=Blame.CREDENTIAL,
            remedy="Give the token of a second user, who may create requests, as DRSI_OTHER_TOKEN, and run again.",
        )
    if how:
        shown = [each for each in (*identifiers.sample.ids, *_ids(run, OTHER_USER)) if str(each.id) == id_]
        message = f"{f'requestId {id_} is' if id_ else 'Every requestId carries'} {how}: it relates to the requester."
        raise _violated(run, "unrelated to the requester", message, *shown[:1])


@at_the_end
@requirement("2.1-requestId-unique")
@traces("""
         POST [a] -> 200 r1
    FAIL POST [b] -> 200 r1
    PASS POST [b] -> 200 r2
""")
def test_no_identifier_is_given_twice(run: Run, sampling_or_reason: Sampling | NotDecided) -> None:
    """No identifier repeats, including those of parallel creations and deleted requests."""
    seen: dict[str, Exchange] = {}
    for exchange in run.record.answered(Operation.CREATE, 200, 201, 202):
        given = exchange.member("requestId")
        if not isinstance(given, str):
            continue
        earlier = seen.setdefault(given.lower(), exchange)
        if earlier is not exchange:
            named = given or "'' (an empty string)"
            again = all(earlier.member(name) == exchange.member(name) for name in ("createdAt", "dataRequested"))
            raise RequirementViolated(
                f"A creation returned the existing request with requestId {named}, instead of a new one."
                if again
                else f"requestId {named} was given to two requests.",
                expected="a new requestId each time",
                actual="the requestId of another",
                exchanges=[exchange, earlier],
                probe=Probe(kind="new-id"),
                remedy=_OF_A_REPEATED_REQUEST if again else "",
            )
    if len(seen) < 2:
        reason = sampling_or_reason if isinstance(sampling_or_reason, NotDecided) else sampling_or_reason.too_few
        raise reason or NotDecided("The service gave fewer than two identifiers, so that none could repeat.")


_OF_A_REPEATED_REQUEST: Final = (
    "Let each POST /requests create a request with an identifier of its own, also while one for the same data types "
    "exists. If the service or a gateway answers equal calls alike (deduplication, a cache), turn that off for POST."
)
