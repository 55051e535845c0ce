from __future__ import annotations

import pytest
from whole_runs import USERS, session_over

from conformance.caller import OTHER_USER, USER
from conformance.ghosts import some_are_back
from conformance.reference.bend import Fault
from conformance.reference.config import ReferenceConfig
from conformance.reference.faults import FAULTS
from conformance.service import Service

CONFIG = ReferenceConfig(users=USERS, seed=1)


@pytest.mark.parametrize(("fault", "back"), [(None, False), (FAULTS["the-last-request-stays"], True)])
def test_what_was_deleted_is_looked_for_as_its_user(fault: Fault | None, *, back: bool) -> None:
    with session_over(CONFIG, fault) as session:
        service = Service(session)
        service.delete(service.create().request_id)

        assert some_are_back(service, USER) is back
        assert some_are_back(service, OTHER_USER) is False
