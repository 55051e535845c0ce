"""Clause 2.1: the fields of a data request, as creation and reading return it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from conformance.checks.marks import Observe, last, needs, requirement, traces
from conformance.judge.consistency import is_one_moment
from conformance.judge.moments import (
    FAR,
    NEAR,
    between,
    date_of,
    distances,
    moment_of,
    rounded_to,
    sharing,
)
from conformance.judge.run import Run
from conformance.model.deviations import deviations
from conformance.model.errors import NotDecided, Probe, RequirementViolated, choice, not_applicable
from conformance.model.exchange import Exchange, Operation, state_of
from conformance.model.text import time_in_words
from conformance.model.verdict import Blame
from conformance.scenarios.completion import Completed

TOLERANCE: Final = timedelta(days=1)
"""How far a moment may be before createdAt or in the future: clocks differ, and a service may keep only the day."""


@last
@requirement("2.1-createdAt-value")
@traces("""
    FAIL creations: POST [a] -> 200 r1 {"createdAt": "2026-01-30T12:00:00Z"}
    PASS creations: POST [a] -> 200 r1
    PASS later_creation = null
""")
def test_createdAt_tells_when_the_request_was_made(  # noqa: N802 - the field's name
    run: Run,
    creations: list[Exchange],
    later_creation_or_reason: NotDecided | None,
) -> None:
    """createdAt is the moment of the creation, perhaps rounded, and differs for creations seconds apart."""
    unit = rounded_to(run.creations())
    most = FAR + unit[1] if unit else FAR
    dated, doubts = _dated(run, creations), []
    for creation, moment in dated:
        if distances(creation, moment)[0] > most:
            if not _is_doubtful(run, creation, moment, most):
                raise _away(creation, moment)
            doubts.append(creation)
    if isinstance(later_creation_or_reason, NotDecided):
        raise later_creation_or_reason
    if shared := next((alike for alike, due in sharing(run.creations()) if due <= timedelta(0)), None):
        given = shared[0].member("createdAt")
        raise RequirementViolated(
            f"createdAt is {given} in the answers to {len(shared)} creations, which were not made at the same time but "
            f"at least {between(shared).total_seconds():.1f} seconds apart.",
            expected="for each creation, its moment",
            actual=f"{given}, {len(shared)} times",
            exchanges=[*shared[:2], shared[-1]],
        )
    if doubts or run.clock_was_set:
        raise _clocks_differ(run, doubts[0] if doubts else dated[0][0])


@last
@requirement("2.1-createdAt-precise")
@traces("""
    FAIL creations: POST [a] -> 200 r1 {"createdAt": "2026-01-31T11:50:00Z"}
    PASS creations: POST [a] -> 200 r1
""")
def test_createdAt_is_near_the_creation(  # noqa: N802 - the field's name
    run: Run,
    creations: list[Exchange],
) -> None:
    """createdAt is at most five minutes from the creation."""
    unit = rounded_to(run.creations())
    why = f"all values of the run are whole {unit[0]}s" if unit else "it is less precise than the event"
    for creation, moment in _dated(run, creations):
        far, most = distances(creation, moment)[0], FAR + unit[1] if unit else FAR
        if far > NEAR and _is_doubtful(run, creation, moment, most if far > most else NEAR):
            raise _clocks_differ(run, creation)
        if far > most:
            raise NotDecided("createdAt is another moment.", exchanges=[creation])
        if far > NEAR:
            raise _away(creation, moment, f": {why}")


def _dated(run: Run, found: list[Exchange]) -> list[tuple[Exchange, datetime]]:
    """Return the creations, the plainest first, and the reading right after one, with the createdAt of each."""
    created = run.created(found[0])
    if moment_of(created.exchange, "createdAt") is None:
        raise NotDecided("createdAt is no date-time.", exchanges=[created.exchange])
    shown = [*sorted(run.creations(), key=deviations), *found[1:]]
    return [(each, moment) for each in shown if (moment := moment_of(each, "createdAt")) is not None]


def _is_doubtful(run: Run, creation: Exchange, moment: datetime, most: timedelta) -> bool:
    """Tell whether only the clock of this machine says that createdAt is wrong, and another one contradicts it."""
    by_date, was_set = distances(creation, moment)[1], timedelta(seconds=run.clock_was_set)
    if by_date is None or by_date <= most:
        return bool(by_date is not None or was_set)
    return bool(was_set) and distances(creation, moment - was_set)[0] <= most


def _clocks_differ(run: Run, creation: Exchange) -> NotDecided:
    """Return that clocks contradict each other: a client cannot tell which one is wrong."""
    date, was_set = date_of(creation), timedelta(seconds=run.clock_was_set)
    clocks = f"the Date header of the service {_at(date)}" if date else "there is no Date header"
    clocks += f", and the clock of this machine {_at(creation.started)}"
    if was_set:
        by = time_in_words(abs(was_set).total_seconds())
        clocks += f", which was set by {by} during the run, as its monotonic clock shows"
    return NotDecided(
        f"createdAt is {creation.member('createdAt')}, {clocks}. A client cannot tell which clock is wrong.",
        blame=Blame.CONFIGURATION,
        remedy="Let this machine and the service synchronise their clocks (NTP), and run again.",
        exchanges=[creation],
    )


def _at(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _away(creation: Exchange, moment: datetime, why: str = "") -> RequirementViolated:
    given, date = creation.member("createdAt"), date_of(creation)
    far = time_in_words(distances(creation, moment)[0].total_seconds())
    message = f"createdAt is {given}, {far} away from the creation at {_at(creation.started)}{why}."
    if date is not None and distances(creation, date)[0] > FAR:
        message += f" It is as wrong by the Date header of the service, {_at(date)}."
    return RequirementViolated(
        message,
        expected=f"createdAt near {_at(creation.started)}",
        actual=given,
        exchanges=[creation],
        probe=Probe(kind="recent", pointer="/createdAt", values=(str(int((NEAR if why else FAR).total_seconds())),)),
    )


def _latest(exchange: Exchange) -> datetime:
    """Return the moment of an answer: a request exists then, so a createdAt after it says nothing of other moments."""
    return max(exchange.started, date_of(exchange) or exchange.started)


@last
@requirement("2.1-expectedCompletion-value")
@traces("""
    FAIL creations: POST [a] -> 200 r1 {"expectedCompletion": "0001-01-01T00:00:00Z"}
    PASS creations: POST [a] -> 200 r1 {"expectedCompletion": "2026-02-28T12:00:00Z"}
""")
def test_expectedCompletion_is_not_before_the_request(  # noqa: N802 - the field's name
    run: Run, creations: list[Exchange]
) -> None:
    """No response to a creation or reading expects the completion more than a day before createdAt."""
    run.created(creations[0])
    for exchange in (*run.creations(), *run.record.answered(Operation.READ, 200)):
        made, expected = moment_of(exchange, "createdAt"), moment_of(exchange, "expectedCompletion")
        if made is not None and expected is not None and min(made, _latest(exchange)) - expected > TOLERANCE:
            given = exchange.member("expectedCompletion")
            raise RequirementViolated(
                f"expectedCompletion is {given}, {time_in_words((made - expected).total_seconds())} before createdAt.",
                expected=f"expectedCompletion at or after createdAt, {exchange.member('createdAt')}",
                actual=given,
                exchanges=[exchange],
            )


@last
@requirement("2.1-completedAt-value")
@traces("""
    PASS creations: POST [a] -> 200 r1
    FAIL creations: GET r1   -> 200 completed {"completedAt": "2026-01-20T12:00:00Z"}
    PASS creations: GET r1   -> 200 completed
""")
def test_completedAt_tells_when_the_request_was_completed(  # noqa: N802 - the field's name
    run: Run,
    creations: list[Exchange],
    completion_or_reason: Completed | NotDecided,
) -> None:
    """completedAt is neither before the request was made nor in the future, in any response to its user."""
    run.created(creations[0])
    readings = run.record.answered(Operation.READ, 200)
    seen = [*run.creations(), *(each for each in readings if each.intent.request == "existing")]
    over = [each for each in seen if each.member("isCompleted") is True]
    moments = [(each, moment) for each in over if (moment := moment_of(each, "completedAt")) is not None]
    if not moments:
        found = completion_or_reason
        if isinstance(found, NotDecided) and found.blame is Blame.CONFIGURATION and not found.circumstance:
            raise found  # such as a command of the tester that completed nothing
        completed = any(map(state_of, seen)) or isinstance(found, Completed)
        circumstance = "completion-not-dated" if completed else "none-completes"
        raise not_applicable(circumstance, "No answer of the run has a completedAt that is a date-time.")
    for exchange, moment in moments:
        given, made = exchange.member("completedAt"), moment_of(exchange, "createdAt")
        latest = _latest(exchange)
        if made is not None and min(made, latest) - moment > TOLERANCE:
            expected = f"completedAt at or after createdAt, {exchange.member('createdAt')}"
            message = f"completedAt is {given}, {time_in_words((made - moment).total_seconds())} before createdAt."
        elif moment - latest > TOLERANCE:
            expected = f"completedAt near {_at(latest)}"
            message = (
                f"completedAt is {given} in an answer of {_at(exchange.started)} about a request that is completed: "
                f"{time_in_words((moment - latest).total_seconds())} in the future."
            )
        else:
            continue
        if run.clock_was_set and date_of(exchange) is None:
            raise _clocks_differ(run, exchange)
        raise RequirementViolated(
            message,
            expected=expected,
            actual=given,
            exchanges=[exchange],
            probe=Probe(kind="recent", pointer="/completedAt", values=("86400",)),
        )
    first: dict[str, Exchange] = {}
    for read in (
        each for each, _ in moments if each.operation is Operation.READ and not run.facts.ledger.is_ambiguous(each)
    ):
        earlier = first.setdefault(read.request_id.lower(), read)
        then, now = earlier.member("completedAt"), read.member("completedAt")
        if not is_one_moment(then, now, both_read=True):
            raise RequirementViolated(
                f"completedAt is {now} on reading, but the first reading of the same request returned {then}.",
                expected=then,
                actual=now,
                exchanges=[read, earlier],
            )


@last
@needs("user")
@requirement("3-initial-state")
@traces("""
    FAIL POST [a] -> 200 r1 completed
    PASS POST [a] -> 200 r1 in progress
""")
def test_some_request_is_seen_in_progress(run: Run, observe: Observe) -> None:
    """Raises an alert if every request of the run was completed when the run saw it: the limit stays untested."""
    own = (Operation.CREATE, Operation.READ)
    seen = [each for operation in own for each in run.record.answered(operation, 200)]
    states = [state_of(each) for each in seen]
    if True in states and False not in states:
        words = (
            "No request was ever seen in progress, so the run could test neither the reading of a request in progress "
            "(4.2) nor the limit (7, 8)"
        )
        observe(choice(words, len(seen), seen[0]), seen[0], alert=True)
