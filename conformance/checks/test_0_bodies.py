"""Preamble: bodies are JSON unless stated otherwise; paths are relative to the base_url."""

from __future__ import annotations

from conformance.checks.marks import Observe, last, requirement, traces
from conformance.model.errors import answer_of, describe
from conformance.model.text import shorten
from conformance.rules.run import Run


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
