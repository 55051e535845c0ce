"""The series of linked calls: create, read, delete, create again, by two users."""

from __future__ import annotations

from whole_runs import session_over

from conformance.generation.links import linked_calls
from conformance.model.exchange import Exchange, Operation
from conformance.scenarios.api import Api


def followed(seed: int) -> list[Exchange]:
    """Return the linked calls of a run, which leave nothing."""
    with session_over(seed=seed) as session:
        service = Api(session)
        service.settings_document()
        linked_calls.result(service)

        assert len(session.record) <= 40
        assert session.journal.live == {}
        return [each for each in session.record.in_order() if each.check == "linked calls"]


def test_two_users_create_read_delete_and_create_again_by_another_way_for_each_seed() -> None:
    ways = [followed(seed) for seed in range(3)]
    made = [each for way in ways for each in way]
    about = {(each.operation, each.intent.request) for each in made}

    assert {each.request.credential for each in made if each.operation is Operation.CREATE} == {"user", "other user"}
    assert about >= {
        (operation, state) for operation in (Operation.READ, Operation.DELETE) for state in ("existing", "deleted")
    }
    after = made[next(place for place, each in enumerate(made) if each.operation is Operation.DELETE) :]
    assert any(each.operation is Operation.CREATE for each in after)
    assert len({str([(each.operation, each.request.body) for each in way]) for way in ways}) == 3
