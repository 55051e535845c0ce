from __future__ import annotations

from whole_runs import USERS, session_over

from conformance.calibration.faults import FAULTS
from conformance.client.api import Api
from conformance.facts.answers import is_limit_refusal
from conformance.identifiers.sample import ENOUGH
from conformance.model.exchange import Exchange
from conformance.reference.config import ReferenceConfig
from conformance.scenarios.identifiers import Round, sampling
from conformance.scenarios.limit import limit

CONFIG = ReferenceConfig(users=USERS, seed=1, max_requests=3)


def creations_of(rounds: list[Round]) -> list[Exchange]:
    """Return all creations of the rounds."""
    return [creation for each in rounds for creation in each.creations]


def test_as_many_are_made_as_are_enough_and_all_are_deleted() -> None:
    with session_over(CONFIG) as session:
        service = Api(session)
        limit.result(service)

        rounds = sampling.result(service).rounds

        assert session.journal.created == ENOUGH + 1  # one of the other user is kept until the end
        assert session.journal.live.keys() == session.kept
        assert sampling.result(service).rounds is rounds
        assert not any(map(is_limit_refusal, creations_of(rounds)))
        assert {len(each.creations) for each in rounds[:-1]} == {3}


def test_where_places_are_lost_it_goes_on_with_fewer() -> None:
    with session_over(CONFIG, FAULTS["place-never-freed"]) as session:
        service = Api(session)
        limit.result(service)

        rounds = sampling.result(service).rounds

        assert any(map(is_limit_refusal, creations_of(rounds)))
        assert len(rounds[-1].creations) < 3
        assert session.journal.live.keys() == session.kept
