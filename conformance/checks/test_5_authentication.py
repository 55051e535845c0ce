"""Clause 5: the operations on data requests require a valid token; settings and data types require none."""

from __future__ import annotations

from conformance.checks.marks import needs, requirement, traces
from conformance.facts.answers import names_a_missing_right
from conformance.facts.due import due
from conformance.model.error_table import MORE_RIGHTS, ON_DATA_REQUESTS
from conformance.model.errors import NotDecided, answer_of, describe, must_answer
from conformance.model.exchange import Exchange
from conformance.model.identity import USER
from conformance.model.verdict import Blame
from conformance.rules import expect
from conformance.rules.run import Run


@needs("user", "creations_or_reason", "deletion_or_reason", "limit_or_reason", "without_creation")
@requirement("5.1-accepts-bearer")
@traces("""
    FAIL GET r1    -> 401
    PASS GET r1    -> 404
    PASS DELETE r1 -> 404
         POST [a]  -> 200 r2
""")
def test_the_token_is_accepted_by_all_three_operations(run: Run) -> None:
    """Creation, reading and deletion do not answer 401 to the token as Authorization: Bearer."""
    forbidden: list[Exchange] = []
    missing: list[str] = []
    for operation in ON_DATA_REQUESTS:
        own = [each for each in run.record.answered(operation) if each.request.credential == USER.label]
        made = [each for each in own if due(each).must_accept] or own[-1:]
        answers = [each for each in made if each.counts] or made  # noise may have been taken for answers at first
        refused = [exchange for exchange in answers if answer_of(exchange).status in (401, 403)]
        if not answers:
            missing.append(operation.call)
        if not answers or refused != answers:
            continue
        if answer_of(refused[-1]).status == 403:
            forbidden.append(refused[-1])
            continue
        message = f"{describe(refused[-1])} answered 401 with a token that other operations accept."
        raise expect.violated(message, "the service accepts the token", refused[-1], probe=must_answer(200))
    if forbidden and forbidden[0].intent.request == "unknown" and not names_a_missing_right(forbidden[0]):
        raise NotDecided(
            f"{describe(forbidden[0])} answered 403 where 404 is due, which need not concern the token.",
            exchanges=forbidden,
        )
    if forbidden:
        raise NotDecided(
            f"{describe(forbidden[0])} answered 403 with a token that other operations accept: this token may lack the "
            "right to it.",
            blame=Blame.CREDENTIAL,
            remedy=MORE_RIGHTS,
            exchanges=forbidden,
        )
    if missing:
        raise NotDecided(f"The run has no answer to {' or '.join(missing)} with the token.")
