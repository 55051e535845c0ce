"""The series of linked calls: create, read, delete, create again, by two users."""

from __future__ import annotations

from typing import Any

from whole_runs import bent, only, run_over, session_over, verified

from conformance.calibration.faults import FAULTS
from conformance.generation.links import SPARE, linked_calls
from conformance.model.exchange import Exchange, Operation
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service
from conformance.scenarios.api import Api


def followed(seed: int) -> list[Exchange]:
    """Return the exchanges of the linked calls of a run, which conforms and leaves nothing."""
    with session_over(seed=seed) as session:
        service = Api(session)
        service.settings_document()
        result = linked_calls.result(service)

        assert result == []
        assert len(session.record) <= 40
        assert session.journal.live == {}
        return [each for each in session.record.in_order() if each.check == "linked calls"]


def test_two_users_create_read_delete_and_create_again() -> None:
    made = [each for seed in range(3) for each in followed(seed)]
    users = {each.request.credential for each in made if each.operation is Operation.CREATE}
    about = {(each.operation, each.intent.request) for each in made}

    assert users == {"user", "other user"}
    assert about >= {
        (operation, state) for operation in (Operation.READ, Operation.DELETE) for state in ("existing", "deleted")
    }
    after = made[next(place for place, each in enumerate(made) if each.operation is Operation.DELETE) :]
    assert any(each.operation is Operation.CREATE for each in after)


def test_another_seed_goes_another_way() -> None:
    ways = [[(each.operation, each.request.body) for each in followed(seed)] for seed in range(2)]

    assert ways[0] != ways[1]


class _ReadsFromTheArchive(Service):
    """A deletion moves the request to an archive, and reading looks there too."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.archive: dict[str, Reply] = {}

    async def delete(self, call: Call) -> Reply:
        self.archive[call.request_id.lower()] = super().read(call)
        return await super().delete(call)

    def read(self, call: Call) -> Reply:
        return self.archive.get(call.request_id.lower()) or super().read(call)


def test_a_short_series_is_shown() -> None:
    with session_over(bend=bent(_ReadsFromTheArchive)) as session:
        result = linked_calls.result(Api(session))
        exchanges = len(session.record)

    decisive = result[-1]
    assert (decisive.operation, decisive.intent.request) == (Operation.READ, "deleted")
    assert exchanges <= 60 + SPARE


def test_verify_asks_for_the_languages_of_settings_that_cannot_be_read() -> None:
    run = run_over(bend=FAULTS["settings-followed-by-timing-comment"], plan=only("3-removed"))

    assert verified(run).differences == ()
