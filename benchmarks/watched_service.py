"""A reference service in another process that needs a while for each answer, and that says what it holds.

It reads one word from each line of standard input and answers with its state, a line of JSON: "clear" removes all
requests, "others" also stores requests that no run creates, and "state" changes nothing. It ends with standard input.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from uuid import uuid4

from measure import TOKEN_VARIABLES, positive

from conformance.reference.call import Call, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

FOREIGN = ("carol.example", "carol.example", "carol.example", "alice.example")
"""The owners of the requests that no run creates."""


class WatchedService:
    """The service, as the process knows it that started it."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        assert child.stdin
        assert child.stdout
        self._to, self._from = child.stdin, child.stdout
        ready = json.loads(self._from.readline())
        self.base_url = ready["base_url"]
        self.environment = {**os.environ, **dict(zip(TOKEN_VARIABLES, ready["tokens"], strict=False))}
        """The environment of a command that uses the service."""

    def ask(self, word: str) -> dict[str, int]:
        """Send a word and return the state: numbers of "own", "foreign" and "touched" requests, and of "calls"."""
        self._to.write(f"{word}\n")
        self._to.flush()
        answer: dict[str, int] = json.loads(self._from.readline())
        return answer


@contextmanager
def watched_service(latency: int) -> Iterator[WatchedService]:
    """Start a service that needs `latency` milliseconds for each answer."""
    command = [sys.executable, __file__, str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin
        try:
            yield WatchedService(child)
        finally:
            child.stdin.close()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of benchmarks that disturb runs at random moments."""
    parser.add_argument("--seed", type=int, default=0, help="same seed, same moments, as far as the machine allows")
    parser.add_argument("--jobs", type=positive, default=2, metavar="NUMBER", help="runs at a time (default: 2)")
    parser.add_argument("--latency", type=positive, default=15, metavar="MS", help="for each answer (default: 15)")
    parser.add_argument("arguments", nargs="*", help="passed on to check, after --")


class _Service(Service):
    """Answers after a while, half of it before and half of it after it does what it is asked."""

    latency: float
    running: _Service
    calls = 0
    touched = 0
    foreign: frozenset[str] = frozenset()

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]  # passed on as they come
        type(self).running = self

    async def answer(self, call: Call) -> Reply:
        self.calls += 1
        self.touched += call.request_id in self.foreign
        await asyncio.sleep(self.latency / 2)
        reply = await super().answer(call)
        await asyncio.sleep(self.latency / 2)
        return reply

    def hold(self, *owners: str) -> None:
        """Hold only a request of each of the owners."""
        for request in self.store.all():
            self.store.remove(request.id)
        others = [DataRequest(str(uuid4()), owner, datetime.now(UTC), ("account",)) for owner in owners]
        for request in others:
            self.store.add(request)
        self.foreign, self.touched = frozenset(request.id for request in others), 0

    def state(self) -> dict[str, int]:
        held = {request.id for request in self.store.all()}
        return {
            "own": len(held - self.foreign),
            "foreign": len(held & self.foreign),
            "touched": self.touched,
            "calls": self.calls,
        }


def _main() -> None:
    _Service.latency = int(sys.argv[1]) / 1000
    threading.Thread(target=_answer, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    users = (User("alice.example"), User("bob.example"), User("carol.example"))
    config = ReferenceConfig(users=users, max_requests=5)
    serve(config, _Service, on_ready=lambda ready: print(json.dumps(asdict(ready)), flush=True))


def _answer() -> None:
    """Answer each line of standard input; end with it."""
    for line in sys.stdin:
        if (word := line.strip()) != "state":
            _Service.running.hold(*(FOREIGN if word == "others" else ()))
        print(json.dumps(_Service.running.state()), flush=True)
    os._exit(0)


if __name__ == "__main__":
    _main()
