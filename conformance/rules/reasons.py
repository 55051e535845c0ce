"""Reasons: why no exchange of a run decides a requirement that a single exchange can decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from conformance.facts.due import due
from conformance.model.credential_forms import OTHER_LETTER_CASE
from conformance.model.deviations import deviations
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import NotDecided, answer_of, describe, in_words, not_applicable
from conformance.model.exchange import Exchange, Operation, state_of
from conformance.model.requirements import Requirement, catalogue
from conformance.model.verdict import Level
from conformance.rules.decisions import Decisions
from conformance.rules.expect import assert_in_some_language, assert_read
from conformance.rules.judge import concerned
from conformance.rules.limit import limit_so_far
from conformance.rules.run import Run
from conformance.schema.documents import requirements_of


def why_undecided(run: Run, decisions: Decisions, requirement: str, ended: Sequence[NotDecided]) -> NotDecided:
    """Return why no exchange of a run decides a requirement.

    `ended` is what ended the scenarios whose calls decide it.
    """
    row = catalogue()[requirement]
    possible = [each for each in ended if each.circumstance in row.not_applicable or row.level is not Level.MUST]
    for reason in (*(each for each in possible if each.circumstance), *_circumstances(row, decisions), *ended):
        return reason
    if requirement.startswith("7-limit-reached"):
        return limit_so_far(run).why_not_met()
    known = decisions.facts
    about = [each for each in known.exchanges if requirement in concerned(each, known)]
    if not about:  # a requirement on requests needs one
        wanted = (each for each in known.exchanges if each.operation is Operation.CREATE)
        creations = [each for each in wanted if due(each, known).must_accept]
        about = [each for each in creations if run.created_if_possible(each) is None]
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
    message = f"{describe(exchange)} was answered {in_words(exchange)}, and no answer of the run decides this."
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
