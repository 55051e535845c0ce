"""Services with large bodies: whether `check` ends within `--max-time`, in little memory, with evidence that verifies.

Each target is the reference service in a process of its own, with large bodies of one kind. A run is wrong when

- it takes more than two seconds longer than `--max-time`;
- the command needs more than 350 MiB, or `verify` of the run does;
- it fails a service that conforms, writes no report, leaves a request at the service, or prints a traceback;
- `verify` does not compute the same report again.

Prints one line for each target. Exit code 1 when a run is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from measure import COMMAND, TOKEN_VARIABLES, parser_of, positive

from conformance.reference.call import Call, ErrorCondition, Reply
from conformance.reference.config import DataType, ReferenceConfig, User
from conformance.reference.server import Ready, serve
from conformance.reference.service import Service

SPARE = 2.0
"""Seconds that a run may take longer than `--max-time`."""

MOST = 350.0
"""MiB that a process may have in memory."""

MB = 1_000_000


class _Large(Service):
    """The reference service, with `padding` in some bodies."""

    conforms = True

    @staticmethod
    def kinds() -> int | tuple[DataType, ...]:
        """Return the data types or their number, or 0 for the usual ones."""
        return 0

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.calls = count(1)


TEXT = "lorem ipsum dolor sit amet, "


def _text(size: int) -> str:
    return TEXT * (size // len(TEXT))


class _Errors(_Large):
    """Every error message has 5 MB."""

    conforms = False

    @cached_property
    def long(self) -> str:
        return _text(5 * MB)

    def error(self, condition: ErrorCondition, call: Call) -> Any:
        found = super().error(condition, call)
        return found | {"message": f"{found['message']} {self.mark()}{self.long}"}

    def mark(self) -> str:
        return ""


class _DifferentErrors(_Errors):
    """Every error message has 5 MB, and a number of its own."""

    def mark(self) -> str:
        return f"{next(self.calls)} "


class _PaddedErrors(_Large):
    """Every error object has a further member of 5 MB, with a number of its own."""

    @cached_property
    def long(self) -> str:
        return _text(5 * MB)

    def error(self, condition: ErrorCondition, call: Call) -> Any:
        return super().error(condition, call) | {"trace": f"{next(self.calls)} {self.long}"}


class _EveryAnswer(_PaddedErrors):
    """Every object has a further member of 5 MB, with a number of its own."""

    def finish(self, reply: Reply, call: Call) -> Reply:  # noqa: ARG002
        if reply.status == 200 and reply.body.startswith(b"{"):
            reply = Reply.json(json.loads(reply.body) | {"trace": f"{next(self.calls)} {self.long}"})
        return reply


class _Overview(_Large):
    """GET /data lists so many types that it has 10 MB."""

    @staticmethod
    def kinds() -> int | tuple[DataType, ...]:
        return 50_000


def _types(number: int, size: int) -> tuple[DataType, ...]:
    return tuple(DataType(f"{_text(size)} {index}", {"en": f"Data {index}"}) for index in range(number))


class _LongTypes(_Large):
    """GET /data lists five types, whose identifiers have 100 kB each and differ in the last character."""

    @staticmethod
    def kinds() -> int | tuple[DataType, ...]:
        return _types(5, MB // 10)


class _LongerTypes(_Large):
    """GET /data lists five types, whose identifiers have 1.9 MB each and differ in the last character."""

    @staticmethod
    def kinds() -> int | tuple[DataType, ...]:
        return _types(5, 19 * MB // 10)


class _ManyLongTypes(_Large):
    """GET /data lists 150 types, whose identifiers have 60 kB each and differ in the last characters."""

    @staticmethod
    def kinds() -> int | tuple[DataType, ...]:
        return _types(150, 60_000)


class _LongOverview(_Large):
    """GET /data lists five types, with descriptions of 2 MB each."""

    @cached_property
    def long(self) -> str:
        return _text(19 * MB // 10)

    def data_type(self, data_type: Any, language: str, call: Call) -> dict[str, Any]:
        found = super().data_type(data_type, language, call)
        return found | {"description": f"{found['description']} {self.long}"}


class _Account(_Large):
    """GET /data/me shows an account of 9 MB in many short values, which differ each time."""

    def data_me(self, call: Call) -> Any:
        found, number = super().data_me(call), next(self.calls)
        rows = [{"id": f"{number}-{index:07}", "text": f"order of {index} items"} for index in range(150_000)]
        return found | {"orders": rows}


class _Pages(_Large):
    """Every error is an HTML page of 9 MB."""

    conforms = False

    @cached_property
    def page(self) -> bytes:
        return b"<!doctype html><html><body>" + _text(9 * MB).encode() + b"</body></html>"

    def finish(self, reply: Reply, call: Call) -> Reply:  # noqa: ARG002
        if reply.status >= 400:
            number = str(next(self.calls)).encode()
            return Reply(reply.status, self.page + number, {"content-type": "text/html"})
        return reply


class _Binary(_Large):
    """Every error has a body of 9 MB of binary data."""

    conforms = False

    @cached_property
    def junk(self) -> bytes:
        return os.urandom(9 * MB)

    def finish(self, reply: Reply, call: Call) -> Reply:  # noqa: ARG002
        if reply.status >= 400:
            number = str(next(self.calls)).encode()
            return Reply(reply.status, number + self.junk, {"content-type": "application/octet-stream"})
        return reply


class _Nested(_Large):
    """Every error has a member of 6 MB of brackets and small numbers, different each time."""

    @cached_property
    def text(self) -> str:
        return json.dumps([[index, [], {}, [[]], {"a": [0]}] for index in range(250_000)], separators=(",", ":"))

    def finish(self, reply: Reply, call: Call) -> Reply:  # noqa: ARG002
        if reply.status >= 400:
            document = json.loads(reply.body)
            start = json.dumps(document | {"number": next(self.calls)}).removesuffix("}")
            reply.body = f'{start}, "inside": {self.text}}}'.encode()
        return reply


TARGETS: dict[str, type[_Large]] = {
    "usual": _Large,
    "errors": _Errors,
    "different-errors": _DifferentErrors,
    "padded-errors": _PaddedErrors,
    "every-answer": _EveryAnswer,
    "overview": _Overview,
    "long-overview": _LongOverview,
    "long-types": _LongTypes,
    "longer-types": _LongerTypes,
    "many-long-types": _ManyLongTypes,
    "account": _Account,
    "pages": _Pages,
    "binary": _Binary,
    "nested": _Nested,
}


@dataclass
class Result:
    """What came of one run, and of its verification."""

    name: str
    took: float = 0.0
    memory: float = 0.0
    code: int = 0
    report: dict[str, Any] = field(default_factory=dict)
    size: float = 0.0
    """MiB of the files of the run."""
    verified: float = 0.0
    """Seconds that the verification took."""
    verify_memory: float = 0.0
    held: int = 0
    wrong: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return the result as one line of text."""
        if not self.report:
            return f"{self.name:<17} {self.took:6.1f} s, {self.memory:6.0f} MiB, exit code {self.code}, no report"
        must, summary = self.report["summary"]["must"], self.report["summary"]
        return (
            f"{self.name:<17} {self.took:6.1f} s, {self.memory:6.0f} MiB, exit code {self.code}, "
            f"{self.report['outcome']}, {must['decided']} of {must['testable']} decided, "
            f"{summary['exchanges']} exchanges, files {self.size:.0f} MiB; "
            f"verify {self.verified:.1f} s, {self.verify_memory:.0f} MiB"
        )


def main() -> None:
    """Run the command against each target, verify the run, and end with 1 where something is wrong."""
    options = _options()
    if options.serve:
        _serve(TARGETS[options.serve])
        return
    results = [_run(name, options) for name in options.only]
    sys.exit(1 if any(result.wrong for result in results) else 0)


def _run(name: str, options: argparse.Namespace) -> Result:
    result = Result(name)
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, __file__, "--serve", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as service,
    ):
        assert service.stdin is not None
        assert service.stdout is not None
        ready = json.loads(service.stdout.readline())
        run = Path(folder, "run")
        limit = ["--max-time", str(options.max_time)]
        asked = ["check", ready["base_url"], "--quiet", "--output", str(run), "--empty-account", *limit]
        environment = dict(zip(TOKEN_VARIABLES, ready["tokens"], strict=True))
        result.code, result.took, result.memory, said = _weighed([*asked, *options.arguments], environment)
        print("state", file=service.stdin, flush=True)
        result.held = int(service.stdout.readline())
        service.stdin.close()
        if (written := run / "report.json").exists():
            result.report = json.loads(written.read_text("utf-8"))
            result.size = sum(path.stat().st_size for path in run.iterdir()) / 2**20
            code, result.verified, result.verify_memory, words = _weighed(["verify", str(run)], {})
            result.wrong += [f"verify ended with {code}: {words[-500:]}"] if code else []
    _judge(result, TARGETS[name], options, said)
    print(result.line(), flush=True)
    for wrong in result.wrong:
        print(f"  WRONG: {wrong}", flush=True)
    return result


def _judge(result: Result, kind: type[_Large], options: argparse.Namespace, said: str) -> None:
    failed = result.report.get("summary", {}).get("verdicts", {}).get("fail", 0)
    result.wrong += [
        words
        for wrong, words in (
            (result.took > options.max_time + SPARE, f"it took {result.took:.0f} s"),
            (result.memory > MOST, f"it needed {result.memory:.0f} MiB"),
            (result.verify_memory > MOST, f"verify needed {result.verify_memory:.0f} MiB"),
            (not result.report, f"no report: {said[-500:]}"),
            ("Traceback" in said or bool(result.report.get("crashes")), f"a crash: {said[-1500:]}"),
            (kind.conforms and failed > 0, f"{failed} requirements failed"),
            (result.held != result.report.get("summary", {}).get("left_behind", 0), f"{result.held} left behind"),
        )
        if wrong
    ]


def _weighed(arguments: list[str], environment: dict[str, str]) -> tuple[int, float, float, str]:
    """Return exit code, seconds, peak memory in MiB and output of the command.

    Linux counts the memory of the parent for the child until it begins the command: the large bodies are made in the
    process of the service, so that this one stays small.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DRSI_")}
    began = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            [COMMAND, *arguments],
            env=kept | environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read().decode("utf-8", "replace")
    return child.returncode, time.perf_counter() - began, usage.ru_maxrss / 1024, said


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--max-time", type=positive, default=60, metavar="SECONDS", help="of each run (default: 60)")
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=list(TARGETS), help="these targets only")
    parser.add_argument("--serve", choices=TARGETS, help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs="*", help="passed on to check, after --")
    return parser.parse_args()


def _serve(kind: type[_Large]) -> None:
    """Serve until standard input ends; answer each line of it with the number of requests that exist."""
    services: list[Service] = []

    class Served(kind):  # type: ignore[misc, valid-type]
        def __init__(self, config: ReferenceConfig) -> None:
            super().__init__(config)
            services.append(self)

    def answer() -> None:
        for _ in sys.stdin:
            print(len(list(services[0].store.all())), flush=True)
        os._exit(0)

    threading.Thread(target=answer, daemon=True).start()
    users = (User("alice.example"), User("bob.example"))
    kinds = kind.kinds()
    config = ReferenceConfig(users=users, data_types=kinds) if kinds else ReferenceConfig(users=users)

    def on_ready(ready: Ready) -> None:
        print(json.dumps(asdict(ready)), flush=True)

    serve(config, Served, on_ready=on_ready)


if __name__ == "__main__":
    main()
