"""Services to point the command at, and the command itself as a process that can be watched and sent signals."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from conformance.application import serving
from conformance.reference.app import build_app
from conformance.reference.call import Call, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service

TOKEN = "tok-3nQ/8+uT_zz~9w.Kd=="
OTHER_TOKEN = "tok-other-5b1F/7+xA_qq=="
PATIENCE = 120.0
"""Seconds after which a test gives up waiting for what should have happened long ago."""

_AS_A_PERSON_STARTS_IT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
from conformance.cli import main
main(sys.argv[1:])
"""
"""A test runner in the background may have told its children to ignore signals."""


@dataclass(frozen=True)
class Result:
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str


Command = Callable[..., Result]


def is_one_message(result: Result, *words: str, code: int = 2) -> None:
    """Fail unless a command ended with one message that has these words, and printed nothing else."""
    assert (result.code, result.out) == (code, ""), result
    _before, *messages = result.err.split("Error: ")
    assert len(messages) == 1, result.err
    message = " ".join(messages[0].split())
    assert [each for each in words if each not in message] == [], message
    assert "Traceback" not in result.err


def report_of(folder: Path) -> Any:
    """Return the report of the run in `folder`."""
    return json.loads((folder / "report.json").read_text("utf-8"))


def names_in(folder: Path) -> set[str]:
    """Return the names of the files and folders in `folder`."""
    return {path.name for path in folder.iterdir()}


@contextmanager
def listening(app: Any) -> Iterator[str]:
    """Serve an application from a thread, as `check --app` does; yield its origin."""
    with serving.served(app, lambda _: None) as origin:
        yield origin


@dataclass
class Served:
    """A reference service of this process, perhaps bent, whose inside a test can look at."""

    base_url: str
    service: Any
    calls: list[Call]
    """What came, in order."""

    @property
    def held(self) -> set[str]:
        """The identifiers of the data requests that exist."""
        return {request.id for request in self.service.store.all()}

    @property
    def live(self) -> int:
        """How many data requests exist."""
        return len(self.held)


@contextmanager
def served(service: type[Service] = Service, **config: Any) -> Iterator[Served]:
    """Serve `service` with the two tokens of this module."""
    calls: list[Call] = []

    class Watched(service):  # type: ignore[valid-type,misc]
        """Notes who calls."""

        async def answer(self, call: Call) -> Reply:
            calls.append(call)
            return await super().answer(call)  # type: ignore[no-any-return]

    users = (User("alice.example", TOKEN), User("bob.example", OTHER_TOKEN))
    settings = ReferenceConfig(users=users, **config)
    app = build_app(settings, Watched)
    with listening(app) as origin:
        yield Served(origin + settings.path_prefix, app.state.service, calls)


class Gate:
    """Stops a service at one point until the test lets it go on."""

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()

    async def pass_through(self) -> None:
        """Note that the point is reached, and wait."""
        self.reached.set()
        await asyncio.to_thread(self.open.wait, PATIENCE)


def slow_creation(gate: Gate, turn: int) -> type[Service]:
    """Return a service that has stored a request before its answer has to wait."""

    class Slow(Service):
        async def create(self, call: Call) -> Reply:
            reply = await super().create(call)
            if self.turn("create") == turn:
                await gate.pass_through()
            return reply

    return Slow


def replying(operation: str, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> type[Service]:
    """Return the reference service with one answer to every call of an operation."""

    class Replying(Service):
        async def answer(self, call: Call) -> Reply:
            return (
                Reply(status, body, {**(headers or {})}) if call.operation == operation else await super().answer(call)
            )

    return Replying


Response = tuple[int, dict[str, str], bytes]


def answering(answer: Callable[[str], Response]) -> Any:
    """Return an ASGI application that answers every path with what `answer` says."""

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:  # noqa: ARG001
        status, headers, body = answer(scope["path"])
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": pairs})
        await send({"type": "http.response.body", "body": body})

    return app


@cache
def refusing() -> str:
    """Return the origin of a port that nothing listens on: bound while this process lives, nothing else takes it."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    port = held.getsockname()[1]
    held.detach()
    return f"http://127.0.0.1:{port}"


class Started:
    """The command in a process of its own. Lines of its output can be awaited."""

    program = _AS_A_PERSON_STARTS_IT

    def __init__(self, directory: Path, *arguments: str, **environment: str) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("DRSI_")}
        beside = directory.with_name(f"{directory.name}-{id(self)}")
        self._written = {name: beside.with_suffix(f".{name}") for name in ("out", "err")}
        with self._written["out"].open("wb") as out, self._written["err"].open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-c", self.program, *arguments],
                cwd=directory,
                env={**clean, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), **environment},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.ended()

    @property
    def out(self) -> str:
        return self._written["out"].read_text("utf-8", "replace")

    @property
    def err(self) -> str:
        return self._written["err"].read_text("utf-8", "replace")

    def awaits(self, text: str, stream: str = "err", times: int = 1) -> None:
        """Return when `text` was written in so many lines; fail when the process ends without it."""

        def there() -> bool:
            return sum(text in line for line in getattr(self, stream).splitlines()) >= times

        until = time.monotonic() + PATIENCE
        while not there() and self.process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        assert there(), f"{text!r} was not written; what was:\n{self.err}\n{self.out}"

    def ended(self) -> int:
        """Wait for the end and return the exit code."""
        return self.process.wait(PATIENCE)
