"""Preamble: bodies are JSON unless stated otherwise; paths are relative to the base_url."""

from __future__ import annotations

from conformance.checks.marks import Observe, argument, last, requirement, traces
from conformance.facts.due import due
from conformance.model.deviations import deviations
from conformance.model.errors import answer_of, describe
from conformance.model.exchange import Exchange
from conformance.model.text import count, shorten
from conformance.rules.run import Run
from conformance.rules.run_context import RunContext, pages


@argument
def json_answers(run: Run) -> list[Exchange]:
    """Every response of the run whose body has to be JSON, that of the plainest call first."""
    exchanges = run.record.in_order()
    known = RunContext(pages=pages(exchanges))
    answers = (exchange for exchange in exchanges if exchange.counts and due(exchange, known).must_be_json)
    return sorted(answers, key=deviations)


@last
@requirement("0-media-type-absent")
def test_some_bodies_may_carry_no_label(json_answers: list[Exchange], observe: Observe) -> None:
    """Shows whether JSON bodies have no Content-Type."""
    bare = [exchange for exchange in json_answers if answer_of(exchange).media_type is None]
    observe(f"{len(bare) or 'None'} of {len(json_answers)} JSON bodies came without a Content-Type.", *bare[:1])


@last
@requirement("0-duplicate-members")
@traces("""
    FAIL user GET /data/me -> 200 '{"account": "A", "account": "B", "types": []}'
    PASS user GET /data/me -> 200 '{"account": "A", "types": []}'
""")
def test_objects_may_name_a_member_twice(run: Run, observe: Observe) -> None:
    """Shows which member names an object repeats; raises an alert if their values differ."""
    answers = [each for each in run.record.in_order() if each.operation and each.counts]
    for values, alert in (("different values: clients read different documents", True), ("equal values", False)):
        for exchange in answers:
            repeated = answer_of(exchange).document.repeated_members
            if names := [name for name, differs in repeated.items() if differs or not alert]:
                which = f"that repeats {shorten(', '.join(names), 100)}, with {values}"
                observe(f"{describe(exchange)} answered with an object {which}.", exchange, alert=alert)
                return
    observe("No object repeats a member.")


@last
@requirement("0-redirects")
def test_a_get_may_be_redirected(run: Run, observe: Observe) -> None:
    """Shows whether the service redirects a GET within the origin."""
    moved = [exchange for exchange in run.record.in_order() if exchange.redirected_to]
    observe(f"{count(len(moved), 'call')} redirected within the origin; the suite follows one redirect.", *moved[:1])
