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
from conformance.judge.identifiers.generators import drawn_by_java, drawn_by_python, drawn_by_splitmix, drawn_by_v8
from conformance.judge.identifiers.sample import FEWEST, FREE, Clue, ObservedId, enough, observed_ids
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


def _violated_by(run: Run, wanted: str, clue: Clue) -> RequirementViolated:
    """Return the finding on identifiers that known data tells, or that tell others."""
    are = "is" if len(clue.ids) == 1 else "are"
    message = f"requestId {' and '.join(str(each.id) for each in clue.ids)} {are} {clue.how}."
    return _violated(run, wanted, message, *clue.ids)


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
    ids, others, clock = identifiers.sample.ids, _ids(run, OTHER_USER), identifiers.clock
    if (few := identifiers.too_few_bits) is not None:
        message = (
            f"requestId is not random: {f'{clock.description}, and ' if clock else ''}its identifiers hold at most "
            f"{few} random bits, of the {FEWEST_BITS} that an identifier needs so that no one guesses it."
        )
        raise _violated(run, "random", message)
    everyone = sorted((*ids, *others), key=lambda one: one.began)
    clues = (
        *(derivation.hashed_moment(ids), derivation.hashed_moment(others)),
        *(drawn_by_java((ids[0], ids[-1])), drawn_by_splitmix((ids[0], ids[-1]))),
        *(drawn_by_python(everyone), drawn_by_v8(everyone)),
        neighbours(everyone, clock.bits if clock else FREE),
    )
    if clue := next(filter(None, clues), None):
        raise _violated_by(run, "random", clue)


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
        raise _violated_by(run, "no counter", hashed)
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
