"""A service in several worker processes: a limit that each of them counts for itself is found (8)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import httpx
import pytest
from whole_runs import ORIGIN, USERS, Silent, target_of

from conformance.http import concurrency
from conformance.model.report import Report
from conformance.model.verdict import Outcome, Verdict
from conformance.reference.app import build_app
from conformance.reference.call import Call
from conformance.reference.config import ReferenceConfig
from conformance.reference.in_process import InProcessTransport
from conformance.reference.service import Service
from conformance.reference.store import DataRequest
from conformance.runner import in_process as inprocess
from conformance.runner.run import Plan, check


class _CountsItsOwn(Service):
    """A worker that counts only the requests that it has created itself."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.created: set[str] = set()

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = super().new_request(types, call)
        self.created.add(request.id)
        return request

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return super().has_room([each for each in existing if each.id in self.created], request)


class _Connections(httpx.BaseTransport):
    """Deals new connections to workers in turn, as a kernel may do; a kept connection stays with its worker."""

    def __init__(self, workers: Sequence[httpx.BaseTransport]) -> None:
        self._workers = workers
        self._turns = itertools.cycle(workers)
        self._kept: list[httpx.BaseTransport] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.headers["Connection"] == "close":
            return next(self._turns).handle_request(request)
        worker = self._kept.pop() if self._kept else next(self._turns)
        try:
            return worker.handle_request(request)
        finally:
            self._kept.append(worker)

    def close(self) -> None:
        for worker in self._workers:
            worker.close()


def _check(workers: int, limit: int, kind: type[Service]) -> Report:
    """Check a service in so many workers, which share their requests and, as on one machine, their clock."""
    config = inprocess.by_calls(ReferenceConfig(users=USERS, seed=1, max_requests=limit), seed=0)
    apps = [build_app(config, kind) for _ in range(workers)]
    first: Service = apps[0].state.service
    for app in apps[1:]:
        app.state.service.store, app.state.service.clock = first.store, first.clock
        app.state.service._random = first._random
    others = [InProcessTransport(app, under_way=concurrency.under_way) for app in apps[1:]]
    target = target_of(f"{ORIGIN}{config.path_prefix}", config.tokens, account_is_empty=True)
    session = inprocess.session_over(
        apps[0], target, seed=0, in_turn=True, wrap=lambda transport: _Connections([transport, *others])
    )
    try:
        return check(session, Plan(), Silent()).report
    finally:
        session.close()


@pytest.mark.parametrize("limit", [1, 3])
@pytest.mark.parametrize("workers", [2, 4])
def test_a_limit_that_each_worker_counts_for_itself_is_found(workers: int, limit: int) -> None:
    report = _check(workers, limit, _CountsItsOwn)

    verdicts = {row.id: row.verdict for row in report.requirements}
    assert verdicts["8-limit-enforced"] is Verdict.FAIL


def test_workers_that_count_together_conform() -> None:
    assert _check(2, 3, Service).outcome is Outcome.CONFORMS
