from __future__ import annotations

from whole_runs import USERS, session_over

from conformance.calibration.faults import FAULTS
from conformance.client.user import UserClient
from conformance.identifiers.sample import ENOUGH
from conformance.reference.config import ReferenceConfig
from conformance.scenarios.identifiers import sampling
from conformance.scenarios.limit import limit

CONFIG = ReferenceConfig(users=USERS, seed=1, max_requests=3)


def test_as_many_are_made_as_are_enough_and_all_are_deleted() -> None:
    with session_over(CONFIG) as session:
        service = UserClient(session)
        limit.result(service)

        rounds = sampling.result(service).rounds

        assert session.journal.created == ENOUGH + 1  # one of the other user is kept until the end
        assert session.journal.live.keys() == session.kept
        assert sampling.result(service).rounds is rounds
        assert all(each.alone and not each.refused for each in rounds)
        assert {len(each.creations) for each in rounds[:-1]} == {3}


def test_where_places_are_lost_it_goes_on_with_fewer() -> None:
    with session_over(CONFIG, FAULTS["deletions-in-succession-free-one-place"]) as session:
        service = UserClient(session)
        limit.result(service)

        rounds = sampling.result(service).rounds

        assert any(each.refused for each in rounds)
        assert len(rounds[-1].creations) < 3
        assert session.journal.live.keys() == session.kept


def test_beside_what_is_held_already_a_round_is_not_alone() -> None:
    with session_over(CONFIG) as session:
        service = UserClient(session)
        limit.result(service)
        service.create()

        assert not any(each.alone for each in sampling.result(service).rounds)
