"""Decisions: what the single exchanges of a run decide, requirement by requirement, and why none decides one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from conformance.facts.due import due
from conformance.facts.world import Facts
from conformance.judge.exchanges import concerned, decidable, judge
from conformance.judge.expect import assert_in_some_language, assert_read
from conformance.judge.guards import doubt
from conformance.judge.run import Run
from conformance.model.credential_forms import OTHER_LETTER_CASE
from conformance.model.deviations import deviations
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import (
    NotDecided,
    RequirementViolated,
    answer_of,
    describe,
    in_words,
    must_answer,
    not_applicable,
)
from conformance.model.exchange import EARLIER, ErrorKind, Exchange, Operation, state_of
from conformance.model.identity import created_by
from conformance.model.requirements import Requirement, catalogue
from conformance.schema.documents import requirements_of

EVERY_EXCHANGE = "every exchange of the run"
"""The name of the check of these findings."""

_START: Final = (float("-inf"), 0)
_END: Final = (float("inf"), 0)

Shown = tuple[RequirementViolated, list[Exchange]]
"""A violation, with the exchanges that show it, the plainest first."""


@dataclass
class Decided:
    """What the exchanges of a run decide of one requirement, each by itself."""

    shown: list[Shown] = field(default_factory=list)
    """The kinds of violations, the clearest first."""
    kept: list[Exchange] = field(default_factory=list)
    """The exchanges whose answers keep the requirement."""
    crash: Exception | None = None
    """The crash of the judge at an exchange that could decide the requirement."""

    def raise_violation(self) -> None:
        """Raise the clearest violation, which has all others, if there is one; else the crash of the judge."""
        if self.shown:
            clearest, *others = (replace(violation, exchanges=exchanges) for violation, exchanges in self.shown)
            raise replace(clearest, others=others)
        if self.crash is not None:
            raise self.crash


class Decisions(defaultdict[str, Decided]):
    """What the exchanges of a run decide, by requirement; nothing of one that no exchange decides."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(Decided)
        self.facts = facts
        shapes: defaultdict[tuple[str, str, str], list[tuple[Exchange, RequirementViolated]]] = defaultdict(list)
        for exchange in (each for each in facts.exchanges if each.check != EARLIER):
            try:
                judgement = judge(exchange, facts)
            except Exception as crash:
                for requirement in decidable(exchange.operation) if exchange.operation else ():
                    self[requirement].crash = self[requirement].crash or crash
                continue
            for requirement in judgement.kept:
                self[requirement].kept.append(exchange)
            for violation in judgement.violations:
                what = f"{exchange.operation} {violation.path} {violation.actual}"
                # An answer that something else may explain takes nothing from those that it does not explain.
                cause = doubt(exchange, facts)
                explained = "" if cause is None else cause.message
                shapes[violation.requirement, what, explained].append((exchange, violation))
        for cases in shapes.values():
            cases.sort(key=lambda case: plainness(case[0]))
        # Those that nothing else explains come first.
        clearest = sorted(shapes.items(), key=lambda shape: (shape[0][2] != "", plainness(shape[1][0][0])))
        for (requirement, _, _), cases in clearest:
            self[requirement].shown.append((cases[0][1], [exchange for exchange, _ in cases]))
        for violation, exchanges in silences(facts.exchanges):
            self[violation.requirement].shown.append((violation, exchanges))


def plainness(exchange: Exchange) -> tuple[int, int]:
    """Return the sort key of an exchange: first ordinary calls, and of equally ordinary ones the smallest."""
    return deviations(exchange), len(exchange.request.body) + len(exchange.request.url)


def silences(exchanges: Sequence[Exchange]) -> list[Shown]:
    """Return the violations by calls that have to be refused, and to which the service closes the connection twice.

    The second time is on a connection of its own. The service answers other calls between two of these closures, and
    closes the connection to no valid call beside them: otherwise it was out of service.
    """
    silent = {each.id: each for each in exchanges if each.error is ErrorKind.CLOSED and each.response is None}
    answered = [each for each in exchanges if each.response is not None]
    valid = [each.over for each in silent.values() if due(each).must_accept]
    closures: dict[str, list[Exchange]] = {}
    for again in silent.values():
        first, required = silent.get(again.repeats), due(again)
        if first is not None and required.must_refuse:
            since = max((each.over for each in answered if each.over <= first.sent), default=_START)
            until = min((each.over for each in answered if each.over >= again.over), default=_END)
            if not any(since <= end <= until for end in valid):
                closures.setdefault(required.by, []).extend((again, first))
    shown = []
    for requirement, calls in closures.items():
        since, until = min(each.over for each in calls), max(each.sent for each in calls)
        status = due(calls[0]).status
        if status is not None and any(since <= each.sent and each.over <= until for each in answered):
            violation = RequirementViolated(
                f"The service closes the connection without an answer to {describe(calls[0])}, again on a connection "
                f"of its own, and answers other calls: {status} is due.",
                requirement=requirement,
                expected=f"status {status}",
                actual="no answer: the connection was closed twice",
                probe=must_answer(status),
            )
            shown.append((violation, calls))
    return shown


def why_undecided(run: Run, decisions: Decisions, requirement: str, ended: Sequence[NotDecided]) -> NotDecided:
    """Return why no exchange of a run decides a requirement.

    `ended` is what ended the scenarios whose calls decide it.
    """
    circumstances = _circumstances(catalogue()[requirement], decisions)
    for reason in (*circumstances, *sorted(ended, key=lambda each: each.circumstance == "")):
        return reason
    if requirement.startswith("7-limit-reached"):
        return run.limit_so_far().why_not_met()
    known = decisions.facts
    about = [each for each in known.exchanges if requirement in concerned(each, known)]
    if not about:  # a requirement on requests needs one
        wanted = (each for each in known.exchanges if each.operation is Operation.CREATE)
        creations = [each for each in wanted if due(each, known).must_accept]
        about = [each for each in creations if created_by(each) is None]
    for exchange in sorted(about, key=deviations):
        return _why_not(run, decisions, exchange)
    return NotDecided("The run made no call that decides this.")


def _why_not(run: Run, decisions: Decisions, exchange: Exchange) -> NotDecided:
    """Return why an exchange does not decide what it is about."""
    try:
        answer_of(exchange)
        assert_read(exchange)
        assert_in_some_language(exchange)
        if exchange.operation is Operation.CREATE and due(exchange, decisions.facts).must_accept:
            run.created(exchange)
    except NotDecided as reason:
        return reason
    required = due(exchange, decisions.facts)
    why = "no answer of the run decides this"
    if required.must_be_json and answer_of(exchange).document.problem:
        why = "what is not JSON has no members that decide this"
    message = f"{describe(exchange)} was answered {in_words(exchange)}, and {why}."
    return NotDecided(message, exchanges=[exchange])


def _circumstances(row: Requirement, decisions: Decisions) -> Iterator[NotDecided]:
    """Yield the circumstances of the service in which no call can decide a requirement."""
    requirement, exchanges = row.id, decisions.facts.exchanges
    if requirement in requirements_of("data-type-list") or requirement == "4.1-requested-types":
        lists = [each for each in exchanges if each.operation is Operation.DATA and _lists(each) is not None]
        if lists and not any(map(_lists, lists)):
            yield not_applicable("no-data-types", "GET /data lists no data types.", lists[0])
    own = (each for each in exchanges if each.request.credential in KNOWN_CREDENTIALS)
    states = {state: each for each in own if (state := state_of(each)) is not None}
    if states.keys() == {True} and "completes-at-once" in row.not_applicable:
        message = "The service completes requests at once, so the run saw none in progress."
        yield not_applicable("completes-at-once", message, states[True])
    if requirement == "5.3-letter-case" and not any(each.request.credential == OTHER_LETTER_CASE for each in exchanges):
        yield not_applicable("token-without-letters", "The user's token has no letters.")
    if requirement in _LABELS:
        on_the_body, body = _LABELS[requirement]
        if bare := decisions[on_the_body].kept[:1]:
            yield not_applicable("", f"No {body} has a Content-Type.", *bare)


_LABELS: Final = {
    "0-json-media-type": ("0-bodies-are-json", "JSON body"),
    "4.3-media-type": ("4.3-answers-ok", "confirmation of a deletion"),
}
"""For each requirement on a label: the one on the body that has it, and the body in words."""


def _lists(exchange: Exchange) -> list[object] | None:
    """Return the list of an answer to GET /data, or None."""
    answer = exchange.response
    value = answer.document.value if answer is not None and answer.status == 200 else None
    return value if isinstance(value, list) else None
