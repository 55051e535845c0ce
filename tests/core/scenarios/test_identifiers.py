"""As many creations as identifiers need, and as many at a time as there is room."""

from __future__ import annotations

from whole_runs import USERS, session_over

from conformance.calibration.faults import FAULTS
from conformance.facts.answers import is_limit_refusal
from conformance.judge.identifiers.sample import ENOUGH
from conformance.model.exchange import Operation
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


def test_where_places_are_lost_it_ends_with_the_reason() -> None:
    with session_over(CONFIG, FAULTS["place-never-freed"]) as session:
        service = Api(session)
        limit.result(service)

        too_few = sampling.result(service).too_few

        assert too_few is not None
        assert too_few.message.startswith("The run saw only ")
        assert is_limit_refusal(session.record.answered(Operation.CREATE)[-1].response)
        assert session.journal.live.keys() == session.kept
