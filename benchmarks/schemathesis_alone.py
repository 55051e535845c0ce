"""Schemathesis alone against one bent service, in this process: its engine as its command has it by default."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema
from starlette.types import ASGIApp, Receive, Scope, Send

from conformance.calibration.run_one import Job
from conformance.reference.config import ReferenceConfig, User

_USERS = (User("alice.example", "alice-Qm7xT2vKp9RzW4nL"), User("bob.example", "bob-Yh3cF8jSd5GtB6uE"))
_TIMEOUT = 30
"""Seconds for one answer, which is also what the suite allows."""


@dataclass(frozen=True)
class Outcome:
    """What schemathesis came to: the names of the checks that failed, and its errors."""

    job: Job
    findings: tuple[str, ...]
    requests: int
    seconds: float


class _Counting:
    """Counts the calls of a service; what it raises after its answer has begun is nobody's business, as on a server."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.calls = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def watched(message: Any) -> None:
            nonlocal begun
            begun = True
            await send(message)

        self.calls += scope["type"] == "http"
        try:
            await self._app(scope, receive, watched)
        except Exception:
            if not begun:
                raise


def fuzz(job: Job, *, document: dict[str, Any], excluded: Sequence[str]) -> Outcome:
    """Run the engine of schemathesis against the service of `job` and return what it came to."""
    config = job.variant.configured(ReferenceConfig(users=_USERS, seed=job.seed + 1))
    service = _Counting(job.variant.app(config))
    settings = {
        "seed": job.seed,
        "base-url": f"http://service.test{quote(config.path_prefix)}",
        "headers": {"Authorization": f"Bearer {config.tokens[0]}"},
        "request-timeout": _TIMEOUT,
        "generation": {"database": "none"},
        "checks": {name: {"enabled": False} for name in excluded},
        # Otherwise it reads its probe values out of the source of the service, which nobody has from outside.
        "analysis": {"constants": {"enabled": False}},
    }
    schema = schemathesis.openapi.from_dict(document, config=SchemathesisConfig.from_dict(settings))
    schema.app = service
    began = time.perf_counter()
    findings = dict.fromkeys(found for event in from_schema(schema).execute() for found in _findings(event))
    return Outcome(job, tuple(findings), service.calls, time.perf_counter() - began)


def _findings(event: events.EngineEvent) -> Iterator[str]:
    """Yield what in `event` would end the command of schemathesis with exit code 1."""
    match event:
        case events.ScenarioFinished():
            for checks in event.recorder.checks.values():
                yield from (check.name for check in checks if check.failure_info is not None)
        case events.NonFatalError():
            yield f"error: {event.info.title}"
        case events.FatalError():
            yield f"error: {event.exception}"
        case events.EngineFinished():
            yield from (failure.title for failure in event.failures)
