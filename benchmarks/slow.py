"""Slow targets: whether `check` ends within `--max-time`, says early that it cannot finish, and leaves nothing behind.

Each target is the reference service of this process, made slow in one way. The command runs against all of them at the
same time, since a run against a slow target mostly waits. A run is wrong when

- it takes more than two seconds longer than `--max-time`;
- it neither ends by itself in that time nor says beforehand that it cannot finish, naming the options that help;
- it fails the service, ends with an exit code other than 0 or 3, or prints a traceback;
- it leaves a request at the service, unless its report says how many may be left;
- it writes no report, unless the first call had no answer in time and the message names --timeout.

Prints one line for each target. Exit code 1 when a run is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from measure import COMMAND, TOKEN_VARIABLES, parser_of, positive

from conformance.reference.call import Call, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.server import Ready, serve
from conformance.reference.service import Service

SPARE = 2.0
"""Seconds that a run may take longer than `--max-time`."""

SHORT = "The run cannot test everything in its time"
HELPFUL = ("--timeout", "--concurrency", "--deselect")
FOREVER = 86_400.0


class _Slow(Service):
    """The reference service with seconds to wait before and after each call takes effect."""

    calls: count[int]
    latest: _Slow

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        type(self).latest, type(self).calls = self, count(1)

    async def answer(self, call: Call) -> Reply:
        before, after = self.seconds(next(self.calls))
        await asyncio.sleep(before)
        reply = await super().answer(call)
        await asyncio.sleep(after)
        return reply

    def seconds(self, number: int) -> tuple[float, float]:  # noqa: ARG002 what the number is for differs
        """Return how long the call of a number waits before and after it takes effect."""
        return 0.0, 0.0


class _TenSeconds(_Slow):
    def seconds(self, number: int) -> tuple[float, float]:  # noqa: ARG002
        return 5.0, 5.0


class _EveryThirdSilent(_Slow):
    def seconds(self, number: int) -> tuple[float, float]:
        return (0.0 if number % 3 else FOREVER), 0.0


class _EveryThirdSilentButDone(_Slow):
    def seconds(self, number: int) -> tuple[float, float]:
        return 0.0, (0.0 if number % 3 else FOREVER)


class _Dripping(_Slow):
    """Answers at once; a proxy passes the answers on, after the first `at_once` of them at one byte per second."""

    at_once = 0


class _DrippingLater(_Dripping):
    at_once = 12


@dataclass
class Result:
    """What came of one run."""

    name: str
    took: float = 0.0
    code: int = 0
    said_after: float | None = None
    """Seconds until the command said that it cannot finish; None where it did not."""
    report: dict[str, Any] = field(default_factory=dict)
    held: int = 0
    """Requests at the service after the run."""
    wrong: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return the result as one line of text."""
        said = "not said" if self.said_after is None else f"said after {self.said_after:.0f} s"
        summary = self.report.get("summary")
        if summary is None:
            return f"{self.name:<32} {self.took:6.1f} s, exit code {self.code}, no report, {said}"
        must = summary["must"]
        return (
            f"{self.name:<32} {self.took:6.1f} s, exit code {self.code}, {self.report['outcome']}, {said}; "
            f"{must['decided']} of {must['testable']} decided, {summary['exchanges']} exchanges; "
            f"{summary['created']} created, {summary['deleted']} deleted, {summary['not_found']} not found, "
            f"{summary['left_behind']} left behind; {self.held} at the service"
        )


TARGETS: dict[str, type[_Slow]] = {
    "10 s for each answer": _TenSeconds,
    "one byte per second": _Dripping,
    "the same after the first calls": _DrippingLater,
    "every third call silent": _EveryThirdSilent,
    "every third call done, silent": _EveryThirdSilentButDone,
}


def main() -> None:
    """Run the command against every slow target and end with 1 where a run is wrong."""
    options = _options()
    with ThreadPoolExecutor(len(options.only)) as pool:
        results = list(pool.map(lambda name: _run(name, options), options.only))
    for result in results:
        print(result.line())
        for wrong in result.wrong:
            print(f"  WRONG: {wrong}")
    sys.exit(1 if any(result.wrong for result in results) else 0)


def _run(name: str, options: argparse.Namespace) -> Result:
    result = Result(name)
    kind = TARGETS[name]
    ready = _started(kind)
    said: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        command = [COMMAND, "check", ready.base_url, "--max-time", str(options.max_time), "--output", "out"]
        tokens = dict(zip(TOKEN_VARIABLES, ready.tokens, strict=True))
        with subprocess.Popen(
            [*command, *options.arguments],
            cwd=folder,
            env={**os.environ, **tokens},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as child:
            assert child.stdout
            for line in child.stdout:
                said.append(line)
                if SHORT in line and result.said_after is None:
                    result.said_after = time.perf_counter() - began
                if options.v:
                    print(f"{name}: {time.perf_counter() - began:6.1f} s {line.rstrip()}", file=sys.stderr)
            result.code = child.wait()
        result.took = time.perf_counter() - began
        with suppress(FileNotFoundError):
            result.report = json.loads((Path(folder) / "out" / "report.json").read_text("utf-8"))
    result.held = len(kind.latest.store.all())
    result.wrong += _wrong(result, options.max_time, "".join(said))
    return result


def _wrong(result: Result, max_time: int, said: str) -> list[str]:
    wrong = []
    if result.took > max_time + SPARE:
        wrong.append(f"it took {result.took:.1f} s where {max_time} s are allowed")
    if result.code not in (0, 3) or "Traceback" in said:
        wrong.append(f"exit code {result.code}: {said[-1500:]}")
    if not result.report:
        told = "got no answer" in said and "--timeout" in said
        return wrong if told else [*wrong, f"there is no report: {said[-1500:]}"]
    if not result.report["complete"] and (result.said_after is None or not all(name in said for name in HELPFUL)):
        wrong.append(f"it did not say that it cannot test everything, or not what helps ({', '.join(HELPFUL)})")
    if result.held > result.report["summary"]["left_behind"]:
        wrong.append(f"{result.held} requests are at the service, more than the report says may be left")
    return wrong


# ---------------------------------------------------------------------- the targets


def _started(kind: type[_Slow]) -> Ready:
    """Serve a target from a thread that ends with this process, and return where it is."""
    readies: list[Ready] = []
    listens = threading.Event()

    def on_ready(ready: Ready) -> None:
        readies.append(ready)
        listens.set()

    threading.Thread(target=serve, kwargs={"service_class": kind, "on_ready": on_ready}, daemon=True).start()
    listens.wait()
    (ready,) = readies
    return _dripped(ready, kind.at_once) if issubclass(kind, _Dripping) else ready


def _dripped(behind: Ready, at_once: int) -> Ready:
    """Listen in front of a service and pass its answers on as `_Dripping` says; return where that is."""
    ports: list[int] = []
    listens = threading.Event()
    service = int(behind.base_url.rpartition(":")[2].partition("/")[0])
    answers = count(1)

    async def listen() -> None:
        server = await asyncio.start_server(
            lambda *client: _dripping(service, answers, at_once, *client), "127.0.0.1", 0
        )
        ports.append(server.sockets[0].getsockname()[1])
        listens.set()
        await server.serve_forever()

    threading.Thread(target=lambda: asyncio.run(listen()), daemon=True).start()
    listens.wait()
    return Ready(behind.base_url.replace(f":{service}", f":{ports[0]}"), behind.tokens)


async def _dripping(
    service: int, answers: count[int], at_once: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    from_service, to_service = await asyncio.open_connection("127.0.0.1", service)

    async def answer(data: bytes) -> None:
        step = len(data) if next(answers) <= at_once else 1
        for place in range(0, len(data), step):
            await asyncio.sleep(step == 1)
            writer.write(data[place : place + step])
            await writer.drain()

    async def ask(data: bytes) -> None:
        to_service.write(data)
        await to_service.drain()

    passing = [asyncio.create_task(_passed_on(reader, ask)), asyncio.create_task(_passed_on(from_service, answer))]
    await asyncio.wait(passing, return_when=asyncio.FIRST_COMPLETED)
    for each in passing:
        each.cancel()
    writer.close()
    to_service.close()


async def _passed_on(source: asyncio.StreamReader, send: Callable[[bytes], Awaitable[None]]) -> None:
    with suppress(ConnectionError):
        while data := await source.read(65536):
            await send(data)


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--max-time", type=positive, default=60, metavar="SECONDS", help="default: 60")
    parser.add_argument("--only", nargs="+", choices=list(TARGETS), default=list(TARGETS), metavar="NAME")
    parser.add_argument("-v", action="store_true", help="print what each run says, with the seconds since it began")
    parser.add_argument("arguments", nargs="*", help="passed on to check, after --")
    return parser.parse_args()


if __name__ == "__main__":
    main()
