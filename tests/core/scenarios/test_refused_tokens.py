"""Real tokens that the service must not accept: an expired one, and one of another service."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping

import pytest
from whole_runs import USERS, differences, only, problem_of, row_of, run_over, session_over

from conformance.model.exchange import Operation
from conformance.model.target import Token
from conformance.model.verdict import Verdict
from conformance.run.check import CannotBegin
from conformance.run.documents import Documents

ROWS = tuple(f"5.3-{operation}-with-bad-token" for operation in ("create", "read", "delete"))
EXPIRED, FOREIGN = "Expired-5522334455abcdef", "Foreign-9988776655fedcba"
GIVEN: Mapping[str, Token] = {"expired": Token(EXPIRED), "foreign": Token(FOREIGN)}
LABELS = {"expired": "an expired token", "foreign": "a token of another service"}


def test_a_service_that_refuses_both_is_asked_three_times_each_and_passes() -> None:
    run = run_over(plan=only(*ROWS), in_turn=False, **GIVEN)

    assert {row_of(run.report, each).verdict for each in ROWS} == {Verdict.PASS}
    for label in LABELS.values():
        asked = [each.operation for each in run.exchanges if each.request.credential == label]
        assert sorted(asked, key=str) == sorted([Operation.CREATE, Operation.READ, Operation.DELETE], key=str)
    assert differences(run) == []


def test_neither_value_is_in_report_or_evidence() -> None:
    run = run_over(plan=only(*ROWS), **GIVEN)

    text = json.dumps([Documents(run).data, Documents(run).evidence])
    assert (EXPIRED in text, FOREIGN in text) == (False, False)
    assert "Bearer [DRSI_EXPIRED_TOKEN]" in text
    assert "Bearer [DRSI_FOREIGN_TOKEN]" in text


def _jwt(seconds: float) -> str:
    """Return a token that expires some seconds after the start of the run, or before it."""
    with session_over() as session:
        expires = session.clock.now().timestamp() + seconds
    parts = ({"alg": "RS256"}, {"exp": expires, "sub": "alice"})
    return ".".join(
        [*(base64.urlsafe_b64encode(json.dumps(each).encode()).decode().rstrip("=") for each in parts), "x"]
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"expired": USERS[0].token}, "DRSI_EXPIRED_TOKEN is the token of a user of the run"),
        ({"foreign": USERS[1].token}, "DRSI_FOREIGN_TOKEN is the token of a user of the run"),
        ({"expired": _jwt(900)}, "DRSI_EXPIRED_TOKEN expires in"),
        ({"expired": _jwt(-60)}, "DRSI_EXPIRED_TOKEN expired only"),
    ],
)
def test_no_run_begins_with_a_token_that_the_service_may_accept(given: Mapping[str, str], words: str) -> None:
    with pytest.raises(CannotBegin) as caught:
        run_over(plan=only(*ROWS), **{name: Token(value) for name, value in given.items()})

    assert words in problem_of(caught.value).message
