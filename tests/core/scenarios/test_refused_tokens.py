"""Real tokens that the service must not accept: an expired one, and one of another service."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping

import pytest
from whole_runs import USERS, only, problem_of, run_over, session_over

from conformance.model.target import Token
from conformance.run.check import CannotBegin

ROWS = tuple(f"5.3-{operation}-with-bad-token" for operation in ("create", "read", "delete"))


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
