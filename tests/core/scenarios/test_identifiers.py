"""As many creations as identifiers need, and as many at a time as there is room."""

from __future__ import annotations

from whole_runs import USERS, session_over

from conformance.facts.answers import is_limit_refusal
from conformance.judge.identifiers.sample import ENOUGH
from conformance.reference.config import ReferenceConfig
from conformance.scenarios.api import Api
from conformance.scenarios.identifiers import sampling
from conformance.scenarios.limit import limit

CONFIG = ReferenceConfig(users=USERS, seed=1, max_requests=3)


def test_as_many_are_made_as_are_enough_and_all_are_deleted() -> None:
    with session_over(CONFIG) as session:
        service = Api(session)
        limit.result(service)
        before = len(session.record)

        assert sampling.result(service).too_few is None

        assert session.journal.created == ENOUGH + 1  # one of the other user is kept until the end
        assert session.journal.live.keys() == session.kept
        assert not any(is_limit_refusal(each.response) for each in session.record.exchanges[before:])
