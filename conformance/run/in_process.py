"""A run over a reference service in this process, by a clock that both share: it hangs on no machine's speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import httpx
from starlette.applications import Starlette

from conformance.http import concurrency
from conformance.http.session import Session
from conformance.model.target import Completion, Target
from conformance.reference.clock import SharedClock
from conformance.reference.config import ReferenceConfig
from conformance.reference.in_process import InProcessTransport
from conformance.reference.service import Service

CLOCK_STEP: Final = 0.001
"""Seconds that a call takes by the service's clock: about what it takes on a quiet machine, also on a busy one."""

_SOME_MOMENT: Final = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)

Wrap = Callable[[httpx.BaseTransport], httpx.BaseTransport]


class ByTheService(Completion):
    """Completes a request in a reference service of this process, as a command of the organisation does."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def complete(self, request_id: str) -> None:
        """Complete a request."""
        self._service.complete_request(request_id)


def by_calls(config: ReferenceConfig, seed: int) -> ReferenceConfig:
    """Return the same service with a clock that moves with the calls, from another moment for each seed."""
    # Few enough moments that no clock leaves the years for which identifiers have room.
    begins = _SOME_MOMENT + seed % 1000 * timedelta(days=1, hours=5, minutes=17, milliseconds=619)
    return replace(config, clock_step=CLOCK_STEP, clock_begins=begins.timestamp())


def session_over(
    app: Starlette,
    target: Target,
    *,
    seed: int,
    in_turn: bool,
    wrap: Wrap = lambda transport: transport,
    keep_personal_data: bool = False,
) -> Session:
    """Return a session over `app`, a reference service with a configuration of `by_calls`; close it in the end.

    `in_turn` is as for Session; what waits in a lone call takes no time then. `wrap` may put another transport around
    the one to the service. The key of the pseudonyms is made of the seed.
    """
    direct = InProcessTransport(
        app, under_way=concurrency.under_way, alone=lambda: in_turn and not concurrency.in_a_race()
    )
    clock = SharedClock(app.state.service.clock)
    return Session(
        target,
        transport=wrap(direct),
        seed=seed,
        clock=clock,
        in_turn=in_turn,
        pseudonym_key=b"%d" % seed,
        keep_personal_data=keep_personal_data,
    )
