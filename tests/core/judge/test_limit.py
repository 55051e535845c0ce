"""The limit as inequalities: what decides each statement, and what leaves it undecided (docs/traces.md)."""

from __future__ import annotations

from collections import Counter

import pytest
from notation import trace_in

from conformance.facts.ledger import Ledger
from conformance.judge.limit import Decision, Limit
from conformance.judge.run import Run
from conformance.model.errors import NotDecided, RequirementViolated, not_applicable
from conformance.model.exchange import Operation
from conformance.model.verdict import Verdict

VIOLATED, UNKNOWN = "violated", "unknown"
REFUSED = "POST [a] -> 400 MaximumAmountOfRequestsReached"
ROOM = "GET /settings -> 200 limit 2; POST [a] -> 200 r1"
FULL = f"{ROOM}; POST [a] -> 200 r2"
SEEN = "GET r1 -> 200; GET r2 -> 200"
DONE = "POST [a] -> 200 r3; GET r3 -> 200 completed; DELETE r3 -> 200"


def end_of(decision: Decision) -> str:
    """Return which end of a statement was reached: "violated", "unknown", or the id of what decided it."""
    if isinstance(decision, RequirementViolated):
        return VIOLATED
    return UNKNOWN if isinstance(decision, NotDecided) else decision.id


def limit(text: str, *, empty: bool = True) -> Limit:
    return Limit(Ledger.of(trace_in(text).exchanges if text else [], empty=empty))


CASES: dict[str, dict[str, str]] = {
    f"{FULL}; {REFUSED}; {SEEN}": {"is_enforced": "e4", "accepts_up_to_limit": "e3"},
    # creations and deletions at the same time
    f"{FULL}; {REFUSED}; {SEEN}; | DELETE r2 -> 200; | POST [a] -> 200 r3": {"is_enforced": "e4"},
    # a request that may exist and that no answer names
    f"{ROOM}; POST [a] -> 500; {REFUSED}; GET r1 -> 200": {"accepts_up_to_limit": UNKNOWN},
    # a limit that changes: for a refusal, it is as low as it ever was
    f"GET /settings -> 200 limit 1; POST [a] -> 200 r1; {REFUSED}; GET r1 -> 200; GET /settings -> 200 limit 3": {
        "accepts_up_to_limit": UNKNOWN
    },
    # and for an excess, as high as it ever was
    """GET /settings -> 200 limit 1; POST [a] -> 200 r1; GET /settings -> 200 limit 2; POST [a] -> 200 r2;
        POST [a] -> 200 r3; GET r1 -> 200; GET r2 -> 200; GET r3 -> 200""": {"is_enforced": VIOLATED},
    """GET /settings -> 200 limit 1; POST [a] -> 200 r1; GET /settings -> 200 limit 3; POST [a] -> 200 r2;
        POST [a] -> 200 r3; GET r1 -> 200; GET r2 -> 200; GET r3 -> 200""": {"is_enforced": UNKNOWN},
    f"GET /settings -> 200 limit 3; POST [a] -> 200 r1; {REFUSED}; GET r1 -> 200": {"accepts_up_to_limit": VIOLATED},
    # a server error, or a 429, instead of an answer
    f"{FULL}; POST [a] -> 500; {SEEN}": {"is_enforced": UNKNOWN},
    f"{FULL}; POST [a] -> 500; {REFUSED}; {SEEN}": {"is_enforced": "e5"},
    f"{FULL}; {REFUSED}; {SEEN}; DELETE r1 -> 200; POST [a] -> 500; GET r2 -> 200": {"is_freed": UNKNOWN},
    f"{FULL}; {REFUSED}; {SEEN}; DELETE r1 -> 200; POST [a] -> 429; GET r2 -> 200": {"is_freed": UNKNOWN},
    # a lower limit that the token of the user shows, beside one that everybody is shown all the time
    """GET /settings -> 200 limit 2; user GET /settings -> 200 limit 1; POST [a] -> 200 r1; POST [a] -> 200 r2;
        GET r1 -> 200; GET r2 -> 200; user GET /settings -> 200 limit 1""": {"is_enforced": VIOLATED},
    # but one answer alone may be stale
    """GET /settings -> 200 limit 2; user GET /settings -> 200 limit 1; POST [a] -> 200 r1; POST [a] -> 200 r2;
        GET r1 -> 200; GET r2 -> 200""": {"is_enforced": UNKNOWN},
    """GET /settings -> 200 limit 1; user GET /settings -> 200 limit 1; GET /settings -> 200 limit 2;
        POST [a] -> 200 r1; POST [a] -> 200 r2; GET r1 -> 200; GET r2 -> 200""": {"is_enforced": UNKNOWN},
    """GET /settings -> 200 limit 1; user GET /settings -> 200 limit 2; POST [a] -> 200 r1; POST [a] -> 200 r2;
        GET r1 -> 200; GET r2 -> 200""": {"is_enforced": UNKNOWN},
    # a place that simultaneous deletions freed beyond their own, where the limit refuses, and where it never does
    **{
        f"""GET /settings -> 200 limit 1; POST [a] -> 200 r1; POST [a] -> {refused}; GET r1 -> 200;
        | DELETE r1 -> 200; | DELETE r1 -> 404; POST [a] -> 200 r3; POST [a] -> 200 r4;
        GET r3 -> 200; GET r4 -> 200""": {"is_freed_in_parallel": end}
        for refused, end in (("400 MaximumAmountOfRequestsReached", VIOLATED), ("200 r2", UNKNOWN))
    },
    # a completed request does not count, unless it was seen in progress again
    f"GET /settings -> 200 limit 1; POST [a] -> 200 r1; GET r1 -> 200 completed; {REFUSED}": {
        "ignores_completed": VIOLATED
    },
    f"""GET /settings -> 200 limit 1; POST [a] -> 200 r1; GET r1 -> 200 completed; GET r1 -> 200 in progress;
        {REFUSED}""": {"ignores_completed": UNKNOWN},
    # a place that a completed request left
    f"""{FULL}; {REFUSED}; GET r2 -> 200; GET r1 -> 200 completed; DELETE r1 -> 200; POST [a] -> 200 r3; {REFUSED};
        GET r2 -> 200; GET r3 -> 200""": {"is_freed": UNKNOWN},
}


@pytest.mark.parametrize("text", CASES)
def test_a_statement_is_violated_or_kept_by_an_exchange_or_unknown(text: str) -> None:
    found = limit(text)

    assert {statement: end_of(getattr(found, statement)()) for statement in CASES[text]} == CASES[text]


@pytest.mark.parametrize("empty", [True, False])
def test_a_full_account_passes_only_if_it_is_confirmed_as_empty(empty: bool) -> None:
    run = f"{FULL}; {SEEN}; DELETE r1 -> 200; POST [a] -> 200 r3; {REFUSED}; GET r2 -> 200; GET r3 -> 200"
    found = limit(run, empty=empty)

    assert end_of(found.accepts_up_to_limit()) == ("e3" if empty else UNKNOWN)
    assert end_of(found.is_freed()) == ("e7" if empty else UNKNOWN)
    assert end_of(limit(f"{ROOM}; {REFUSED}; GET r1 -> 200", empty=empty).accepts_up_to_limit()) == (
        VIOLATED if empty else UNKNOWN
    )


def test_a_violation_names_what_published_the_limit_and_each_reading_that_it_counts() -> None:
    found = limit(f"{FULL}; POST [a] -> 200 r3; {SEEN}; GET r3 -> 200").is_enforced()

    assert isinstance(found, RequirementViolated)
    shown = Counter(each.operation for each in found.exchanges)
    assert (shown[Operation.SETTINGS], shown[Operation.READ]) == (1, 3)


def test_numbers_that_differ_are_the_reason_why_the_limit_was_not_reached() -> None:
    found = limit(f"{ROOM}; GET /settings -> 200 limit 1; {REFUSED}; GET r1 -> 200").accepts_up_to_limit()

    assert isinstance(found, NotDecided)
    assert found.message.endswith("shows maxNumberOfRequests as 1 and as 2.")
    assert [each.id for each in found.exchanges] == ["e4", "e3", "e1"]


@pytest.mark.parametrize("number", ["0", '"3"', "1e400", "null", "1180591620717411303424", ""])
def test_every_statement_has_an_end_for_any_settings(number: str) -> None:
    settings = f"""GET /settings -> 200 '{{"maxNumberOfRequests": {number}}}'; POST [a] -> 200 r1; {REFUSED}"""
    found = limit(settings if number else "")

    for statement in (
        found.is_enforced,
        found.holds_in_parallel,
        found.accepts_up_to_limit,
        found.is_freed,
        found.is_freed_in_parallel,
        found.ignores_completed,
    ):
        assert end_of(statement())


def test_a_completed_request_excuses_no_refusal_in_an_account_that_is_not_confirmed() -> None:
    for run in (f"{FULL}; {REFUSED}; {SEEN}; {DONE}", f"{ROOM}; {REFUSED}; GET r1 -> 200; {DONE}"):
        for decision in (limit(run, empty=False).accepts_up_to_limit(), limit(run, empty=False).is_freed()):
            assert isinstance(decision, NotDecided)
            assert decision.verdict is Verdict.INCONCLUSIVE
    at_once = limit(f"GET /settings -> 200 limit 2; {DONE}", empty=False).accepts_up_to_limit()
    assert isinstance(at_once, NotDecided)
    assert at_once.verdict is Verdict.NOT_APPLICABLE


def test_what_ended_a_scenario_says_more_than_that_nothing_decided() -> None:
    undecided, of_one = NotDecided("Nothing decided."), not_applicable("limit-of-one", "One place.")
    for results, expected in (((of_one,), "One place"), ((of_one, NotDecided("No answer.")), "No answer")):
        with pytest.raises(NotDecided, match=expected):
            Run().decide(undecided, *results)
    with pytest.raises(NotDecided, match="Nothing"):
        Run().decide(not_applicable("completes-at-once", "Nothing decided."), of_one)
