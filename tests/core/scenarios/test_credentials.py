"""What is sent as a credential that is no token, and that nothing of it gives the token away."""

from __future__ import annotations

import pytest
from whole_runs import USERS, session_over

from conformance.http.session import Session
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import Exchange, Operation, header
from conformance.reference.config import ReferenceConfig, User
from conformance.scenarios.api import Api
from conformance.scenarios.credentials import doubtful_credentials, refused_requests

DATA_REQUESTS = (Operation.CREATE, Operation.READ, Operation.DELETE)


def credential(exchange: Exchange) -> str:
    return (header(exchange.request.headers, "authorization") or "").partition(" ")[2]


def refused(session: Session) -> dict[Operation, list[Exchange]]:
    """Return the calls without the token of a user, by their operation."""
    made = [each for each in session.record.in_order() if each.request.credential not in KNOWN_CREDENTIALS]
    return {operation: [each for each in made if each.operation is operation] for operation in DATA_REQUESTS}


@pytest.mark.parametrize(
    "token",
    [
        "aaaa.bbbbbbbb.cccccccccccc",
        "abcdefgh.ijklmn.",
        "0f8c6f2e-6d0b-4b1c-9a63-1d2fa0c4e9b7",
        "493027",
        "Zz",
        "~.~",
        "null",
        "constructor",
    ],
)
def test_no_bad_credential_is_the_token_in_disguise(token: str) -> None:
    config = ReferenceConfig(users=(User("alice.example", token), USERS[1]), seed=1)
    with session_over(config) as session:
        refused_requests.result(Api(session))
        bad = refused(session)[Operation.READ]

    altered = [credential(each) for each in bad if each.request.credential == "a token altered in its middle"]
    assert token not in [credential(each) for each in bad]
    assert [len(each) for each in altered] == [len(token)]
    # The last character of a part of a JWT may have bits that decode to nothing.
    changed = next(place for place in range(len(token)) if altered[0][place] != token[place])
    assert changed == 0 or token[changed + 1].isalnum()


def test_forms_that_are_open_make_and_remove_nothing() -> None:
    with session_over() as session:
        service = Api(session)
        held = service.create().request_id
        doubtful_credentials.result(service)
        assert {each for each, made in refused(session).items() if made} == set(DATA_REQUESTS)
        assert (session.journal.created, list(session.journal.live)) == (1, [held])
