"""Preamble: bodies are JSON unless stated otherwise; paths are relative to the base_url."""

from __future__ import annotations

from conformance.checks.marks import Observe, last, requirement, traces
from conformance.facts.answers import REFUSING
from conformance.judge.expect import received
from conformance.judge.run import Run
from conformance.model.errors import NotDecided, Probe, RequirementViolated, choice
from conformance.model.exchange import Operation, Superseded
from conformance.model.text import shorten


@last
@requirement("0-duplicate-members")
@traces("""
    FAIL user GET /data/me -> 200 '{"account": "A", "account": "B", "types": []}'
    PASS user GET /data/me -> 200 '{"account": "A", "types": []}'
""")
def test_objects_may_name_a_member_twice(run: Run, observe: Observe) -> None:
    """Shows which member names an object repeats; raises an alert if their values differ."""
    answers = [
        (each, each.response.document.repeated_members)
        for each in run.record.in_order()
        if each.operation and each.counts and each.response is not None
    ]
    for values, alert in (("different values: clients read different documents", True), ("equal values", False)):
        named = [(each, [name for name in repeated if repeated[name] or not alert]) for each, repeated in answers]
        if repeating := [(each, names) for each, names in named if names]:
            exchange, names = repeating[0]
            words = f"an object that repeats {shorten(', '.join(names), 100)}, with {values}"
            observe(choice(words, len(repeating), exchange), exchange, alert=alert)
            return
    observe("No object repeats a member.")


@last
@requirement("0-server-errors")
@traces("""
    FAIL GET /settings -> 500
    PASS GET /settings -> 200
    PASS generated = null
""")
def test_server_errors_are_reported(run: Run, generated_or_reason: NotDecided | None, observe: Observe) -> None:
    """Shows the calls that the service answers with a server error; an alert if it does so now and then."""
    exchanges = run.record.in_order()
    for operation in Operation:
        calls = [each for each in exchanges if each.operation is operation and each.was_sent]
        failed = [each for each in calls if each.superseded is Superseded.PASSING and each.status >= 500]
        if failed:
            statuses = ", ".join(sorted({str(each.status) for each in failed}))
            words = f"{operation.call} answers {statuses} now and then, and not when the same call comes again"
            observe(choice(words, len(failed), failed[0], of=len(calls)), *failed, alert=True)
    failed = [each for each in exchanges if each.failed and each.status not in REFUSING]
    if failed:
        smallest = min(failed, key=lambda each: len(each.request.body) + len(each.request.url))
        alike = [each for each in failed if each.status == smallest.status]
        raise RequirementViolated(
            choice(f"{smallest.status}, a server error", len(alike), smallest),
            expected="a status below 500",
            actual=received(smallest),
            exchanges=[smallest],
            probe=Probe(kind="other-status", values=("5xx",)),
        )
    if generated_or_reason is not None:  # after the errors, which may be the reason why no call could be generated
        raise generated_or_reason
