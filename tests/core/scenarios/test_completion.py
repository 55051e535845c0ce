"""One request is kept from early in the run and read again at its end."""

from __future__ import annotations

import pytest
from whole_runs import config, session_over

from conformance.model.errors import NotDecided
from conformance.model.target import Budget
from conformance.scenarios.api import Api
from conformance.scenarios.completion import completion
from conformance.scenarios.limit import limit


def test_the_other_users_request_is_kept_until_the_end_and_then_deleted() -> None:
    with session_over(config()) as session:
        service = Api(session)
        limit.result(service)
        (kept,) = session.kept
        assert session.journal.live == {kept: "other user"}

        with pytest.raises(NotDecided, match="saw no completed request"):
            completion.result(service)

    assert (session.kept, session.journal.live) == (set(), {})
    assert kept in session.journal.gone


def test_the_request_is_deleted_where_the_time_of_the_run_ends_the_wait() -> None:
    with session_over(config(), budget=Budget(await_completion=30.0, max_time=10.0)) as session:
        service = Api(session)
        limit.result(service)

        with pytest.raises(NotDecided, match="The time of the run, 10 s, "):
            completion.result(service)
        session.clean_up()

    assert (session.kept, session.journal.live) == (set(), {})
