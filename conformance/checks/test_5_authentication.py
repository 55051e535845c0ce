"""Clause 5: the operations on data requests require a valid token; settings and data types require none."""

from __future__ import annotations

from conformance.checks.marks import requirement, traces
from conformance.facts.answers import names_a_missing_right
from conformance.model.error_table import MORE_RIGHTS
from conformance.model.errors import NotDecided, answer_of, describe
from conformance.model.exchange import Exchange, Operation
from conformance.model.probe import must_answer
from conformance.model.verdict import Blame
from conformance.rules import expect


@requirement("5.1-accepts-bearer")
@traces("""
    FAIL with_token[READ]: GET r1 -> 401
    PASS with_token[READ]: GET r1 -> 404
         POST [a]                 -> 200 r2
""")
def test_the_token_is_accepted_by_all_three_operations(with_token: dict[Operation, list[Exchange]]) -> None:
    """Creation, reading and deletion do not answer 401 to the token as Authorization: Bearer."""
    forbidden: list[Exchange] = []
    for made in with_token.values():
        answers = [each for each in made if each.counts] or made  # noise may have been taken for answers at first
        refused = [exchange for exchange in answers if answer_of(exchange).status in (401, 403)]
        if refused != answers:
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
