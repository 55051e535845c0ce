from __future__ import annotations

from dataclasses import replace

import pytest
from whole_runs import USERS, session_over

from conformance.calibration.faults import FAULTS
from conformance.calibration.variant import Fault
from conformance.client.user import UserClient
from conformance.model.errors import answer_of
from conformance.model.exchange import Operation
from conformance.model.identity import OTHER_USER, USER
from conformance.reference.config import ReferenceConfig
from conformance.scenarios.confirmation import undeleted

CONFIG = ReferenceConfig(users=USERS, seed=1)


def test_each_is_looked_for_once_and_only_what_the_run_had_made() -> None:
    with session_over(CONFIG) as session:
        service = UserClient(session)
        service.delete(service.create().request_id)
        foreign = service.delete(service.some_uuid())
        foreign.response = replace(answer_of(foreign), status=200)

        assert not undeleted(service, USER)
        assert not undeleted(service, USER)
        assert len(session.record.answered(Operation.READ)) == 1


@pytest.mark.parametrize(("fault", "back"), [(None, False), (FAULTS["deleted-still-readable"], True)])
def test_what_was_deleted_is_looked_for_as_its_user(fault: Fault | None, *, back: bool) -> None:
    with session_over(CONFIG, fault) as session:
        service = UserClient(session)
        service.delete(service.create().request_id)

        assert undeleted(service, USER) is back
        assert undeleted(service, OTHER_USER) is False
