from __future__ import annotations

import pytest
from whole_runs import USERS, session_over

from conformance.caller import NOBODY, OTHER_USER
from conformance.expect import Undecided, answer_of
from conformance.reference.config import ReferenceConfig
from conformance.reference.faults import FAULTS
from conformance.reference.twins import TWINS
from conformance.service import Service
from conformance.trials.withdrawn import ROUNDS, withdrawn

CONFIG = ReferenceConfig(users=USERS, seed=1)


def test_a_request_that_readings_without_a_token_remove_is_missing_each_time() -> None:
    with session_over(CONFIG, FAULTS["rejected-readings-withdraw"]) as session:
        service = Service(session)

        rounds = withdrawn(service, lambda one: [service.read(one, NOBODY)], [401])

        assert [[answer_of(each).status for each in asked] for asked in rounds] == [[401, 404]] * ROUNDS
        assert session.journal.left_behind == 0


def test_a_request_that_stays_once_is_no_finding() -> None:
    with session_over(CONFIG) as session:
        service = Service(session)

        with pytest.raises(Undecided, match="not when the same was asked again"):
            withdrawn(service, lambda one: [service.read(one, NOBODY)], [401])


def test_where_requests_go_because_others_are_created_there_is_no_finding() -> None:
    twin = TWINS["completes-when-another-is-created"]
    with session_over(ReferenceConfig(users=USERS, seed=1, completed_readable=False), twin) as session:
        service = Service(session)

        with pytest.raises(Undecided, match="missing"):
            withdrawn(service, lambda one: [service.read(one, NOBODY)], [401])


def test_where_requests_go_by_themselves_there_is_no_finding() -> None:
    brief = ReferenceConfig(users=USERS, seed=1, complete_after=0.0005, completed_readable=False)
    with session_over(brief) as session:
        service = Service(session)

        with pytest.raises(Undecided, match="missing"):
            withdrawn(service, lambda one: [service.read(one, NOBODY)], [401])


def test_where_the_calls_are_carried_out_the_second_time_there_is_no_finding() -> None:
    with session_over(CONFIG, TWINS["users-share-an-organisation"]) as session:
        service = Service(session)

        with pytest.raises(Undecided, match="Not every call was refused"):
            withdrawn(service, lambda one: [service.delete(one, OTHER_USER, request="foreign", open=True)], [404])


def test_where_one_request_is_the_most_there_is_nothing_to_compare() -> None:
    with session_over(ReferenceConfig(users=USERS, seed=1, max_requests=1)) as session:
        service = Service(session)

        with pytest.raises(Undecided, match="No two requests"):
            withdrawn(service, lambda one: [service.read(one, NOBODY)], [401])
