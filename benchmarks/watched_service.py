"""A reference service in another process that needs a while for each answer, and runs against it that are disturbed.

The service reads one word from each line of standard input and answers with its state, a line of JSON: "clear" removes
all requests, "others" also stores requests that no run creates and lets the service tell of its user wherever it can,
and "state" changes nothing. It ends with its input.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn, TypeVar
from uuid import uuid4

from measure import COMMAND, TOKEN_VARIABLES, positive

from conformance.reference.call import Call, ErrorCondition, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

PERSONAL = ("Wilhelmina Oesterreich", "w.oesterreich@mail.example", "48213377")
"""What the service tells of each user, in the account and in every answer to the user."""
DERIVED = (
    PERSONAL[0].split()[1],
    PERSONAL[1].partition("@")[0],
    hashlib.md5(PERSONAL[1].encode()).hexdigest(),
    hashlib.sha256(PERSONAL[1].encode()).hexdigest(),
    base64.b64encode(PERSONAL[1].encode()).decode().rstrip("="),
)
"""What anybody can compute from it: the service tells this too."""
FOREIGN = ("carol.example", "carol.example", "carol.example", "alice.example")
"""The owners of the requests that no run creates."""
PATIENCE = 120
"""Seconds after which a command that does not end counts as hanging."""

PLACES = 5
"""The limit of a service whose runs are disturbed: one place is taken by a request that no run creates."""


class WatchedService:
    """The service, as the process knows it that started it."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        assert child.stdin
        assert child.stdout
        self._to, self._from = child.stdin, child.stdout
        ready = json.loads(self._from.readline())
        self.base_url = ready["base_url"]
        self.tokens: dict[str, str] = dict(zip(TOKEN_VARIABLES, ready["tokens"], strict=False))
        self.environment = {**os.environ, **self.tokens}
        """The environment of a command that uses the service."""

    def ask(self, word: str) -> dict[str, int]:
        """Send a word and return the state: numbers of "own", "foreign" and "touched" requests, and of "calls"."""
        self._to.write(f"{word}\n")
        self._to.flush()
        answer: dict[str, int] = json.loads(self._from.readline())
        return answer


@contextmanager
def watched_service(latency: int, max_requests: int) -> Iterator[WatchedService]:
    """Start a service that needs `latency` milliseconds for each answer."""
    command = [sys.executable, __file__, str(latency), str(max_requests)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin
        try:
            yield WatchedService(child)
        finally:
            child.stdin.close()


# ---------------------------------------------------------------------- runs that are disturbed


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What came of one disturbed run; `wrong` is empty where everything is as it may be."""

    about: str
    """How and when the run was disturbed."""
    wrong: str = ""


AnyTurn = TypeVar("AnyTurn", bound=Turn)
Disturb = Callable[[int, float, subprocess.Popen[str], WatchedService, Path], AnyTurn]
"""Disturbs a run and returns what came of it; gets a number, the moment, the run, the service and the run's folder."""


def disturbed(
    number: int, disturb: Disturb[AnyTurn], options: argparse.Namespace, first: str, *arguments: str
) -> list[AnyTurn]:
    """Start `check` with `arguments`, so many times, and disturb it at random moments of its length.

    The service gets the word `first` before each run. Where the command was faster, the turn is repeated with another
    moment. An error of one worker ends the others after their turn.
    """
    failed = threading.Event()

    def attempted(each: int, moment: float, service: WatchedService, folder: Path) -> AnyTurn | None:
        for left in folder.iterdir():
            shutil.rmtree(left)
        service.ask(first)
        with _check(service, folder, *arguments, *options.arguments) as run:
            try:
                run.wait(moment)
                return None
            except subprocess.TimeoutExpired:
                return disturb(each, moment, run, service, folder)

    def worked(worker: int) -> list[AnyTurn]:
        chance = random.Random(f"{options.seed}/{worker}")
        turns: list[AnyTurn] = []
        share = range(worker, number, options.jobs)
        with watched_service(options.latency, PLACES) as service, tempfile.TemporaryDirectory() as name:
            began = time.perf_counter()
            _check(service, Path(name), *arguments, *options.arguments).communicate(timeout=PATIENCE)
            length = time.perf_counter() - began
            for each in itertools.takewhile(lambda _: not failed.is_set(), share):
                while (turn := attempted(each, chance.uniform(0, length), service, Path(name))) is None:
                    pass
                turns.append(turn)
                if turn.wrong:
                    print(f"  WRONG {turn.about}: {turn.wrong}", flush=True)
                elif len(turns) % 25 == 0:
                    print(f"  {len(turns)} of {len(share)}", file=sys.stderr, flush=True)
        return turns

    def watched(worker: int) -> list[AnyTurn]:
        try:
            return worked(worker)
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(options.jobs) as pool:
        return [turn for done in pool.map(watched, range(options.jobs)) for turn in done]


def _check(service: WatchedService, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.Popen(
        [COMMAND, "check", service.base_url, "--output", str(folder / "out"), *arguments],
        cwd=folder,
        env={**service.environment, "TMPDIR": str(folder / "tmp")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def conclude(turns: Sequence[Turn], what: str, seed: int) -> NoReturn:
    """Print which turns are wrong, and end with 1 if one of them is."""
    wrong = [turn for turn in turns if turn.wrong]
    for turn in wrong:
        print(f"  WRONG {turn.about}: {turn.wrong}")
    print(f"{len(turns)} {what}, {len(wrong)} wrong (seed {seed}, Python {sys.version.split()[0]})")
    sys.exit(1 if wrong else 0)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of benchmarks that disturb runs at random moments."""
    parser.add_argument("--seed", type=int, default=0, help="same seed, same moments, as far as the machine allows")
    parser.add_argument("--jobs", type=positive, default=2, metavar="NUMBER", help="runs at a time (default: 2)")
    parser.add_argument("--latency", type=positive, default=15, metavar="MS", help="for each answer (default: 15)")
    parser.add_argument("arguments", nargs="*", help="passed on to check, after --")


# ---------------------------------------------------------------------- the service


class _Service(Service):
    """Answers after a while, half of it before and half of it after it does what it is asked.

    Each answer to a user tells in its header who the user is. If it is `telling`, so do error objects, identifiers of
    requests, and the page that answers an identifier with other characters than letters, digits and hyphens.
    """

    telling = False

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

    def data_me(self, call: Call) -> Any:
        return {**super().data_me(call), "account": dict(zip(("name", "email", "number"), PERSONAL, strict=True))}

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        if call.user:
            reply.headers |= {"x-name": PERSONAL[0], "x-email": PERSONAL[1], "x-number": PERSONAL[2]}
            if self.telling:
                reply.headers["x-derived"] = " ".join(DERIVED)
        if self.telling and reply.status == 404 and not call.request_id.replace("-", "").isalnum():
            page = f"<!doctype html><title>{PERSONAL[0]}</title><p>{' '.join((*PERSONAL, *DERIVED))}</p>"
            return Reply(404, page.encode(), {"content-type": "text/html"})
        return reply

    def error(self, condition: ErrorCondition, call: Call) -> Any:
        found = super().error(condition, call)
        told = f"{' '.join(PERSONAL)} is {' '.join(DERIVED)}"
        return {**found, "trace": told} if self.telling and call.user else found

    def new_id(self, call: Call) -> str:
        drawn = super().new_id(call)
        return f"{PERSONAL[2]}{drawn[len(PERSONAL[2]) :]}" if self.telling else drawn

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
    config = ReferenceConfig(users=users, max_requests=int(sys.argv[2]))
    serve(config, _Service, on_ready=lambda ready: print(json.dumps(asdict(ready)), flush=True))


def _answer() -> None:
    """Answer each line of standard input; end with it."""
    for line in sys.stdin:
        if (word := line.strip()) != "state":
            _Service.running.telling = word == "others"
            _Service.running.hold(*(FOREIGN if word == "others" else ()))
        print(json.dumps(_Service.running.state()), flush=True)
    os._exit(0)


if __name__ == "__main__":
    _main()
