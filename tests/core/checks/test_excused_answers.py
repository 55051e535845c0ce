"""A 404 that may come from a repeated call, which the recorder excuses, accuses the service of nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hand_made import deletion, error, exchange

from conformance.checks import test_5_isolation
from conformance.model.error_table import NOT_FOUND
from conformance.model.errors import NotDecided
from conformance.model.exchange import Operation, Superseded
from conformance.scenarios.credentials import ByAnother

EXCUSED = deletion(404, error(NOT_FOUND), "application/json", superseded=Superseded.UNAVAILABLE)
UNREAD = exchange(Operation.READ, 404, error(NOT_FOUND), request="existing", superseded=Superseded.UNAVAILABLE)
FOUND = exchange(Operation.READ, 404, error(NOT_FOUND), request="existing")
RUN: Any = None
"""A run that the check does not read."""


def test_another_user_is_not_said_to_remove_one_nor_to_leave_it() -> None:
    found = ByAnother(FOUND, deletion(), (FOUND, EXCUSED), after=UNREAD, released=deletion())

    with pytest.raises(NotDecided):
        test_5_isolation._was_removed(RUN, found)
