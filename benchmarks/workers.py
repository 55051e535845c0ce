"""A service in several worker processes, each of which counts only its own creations: how often is that found?

The workers share their requests, and a connection stays with the worker that accepted it. They accept on one socket, as
those of uvicorn do, or each on a socket of its own with SO_REUSEPORT, which the kernel picks by the client's port.
Runs the command against each and counts the runs that report 8-limit-enforced, or anything else, as failed. Does the
same for workers that count together, which conform. Linux only.

Exit code 1: the workers that conform were failed or not decided.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import multiprocessing
import os
import pickle
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from measure import COMMAND, positive

from conformance.model.verdict import Outcome
from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service
from conformance.reference.store import DataRequest, Store

USERS = (User("alice.example", "alice-Qm7xT2vKp9RzW4nL"), User("bob.example", "bob-Yh3cF8jSd5GtB6uE"))
CONFIG = ReferenceConfig(users=USERS)
REQUIREMENT = "8-limit-enforced"
LONGEST = 600
"""Seconds that one run may take."""


class SharedStore(Store):
    """Requests in the files of a folder, which several processes share."""

    def __init__(self, folder: Path, *, counts_all: bool) -> None:
        """Begin with what is there. Unless it `counts_all`, the limit regards only what this process has added."""
        super().__init__()
        self._folder = folder
        self._counts_all = counts_all
        self._added: set[str] = set()

    def add(
        self, request: DataRequest, has_room: Callable[[Iterable[DataRequest]], bool] = lambda _existing: True
    ) -> bool:
        """Add `request` if `has_room` says so of those that count; no other process adds meanwhile."""
        with (self._folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not has_room([each for each in self.all() if self._counts_all or each.id in self._added]):
                return False
            self._added.add(request.id)
            self._write(request)
            return True

    def get(self, request_id: str) -> DataRequest | None:
        """Return the request with this identifier, or None."""
        with suppress(OSError, ValueError):
            found: DataRequest = pickle.loads((self._folder / request_id.encode().hex()).read_bytes())
            return found
        return None

    def remove(self, request_id: str) -> DataRequest | None:
        """Remove and return the request with this identifier; None when another call was faster."""
        found = self.get(request_id)
        with suppress(OSError):
            (self._folder / request_id.encode().hex()).unlink()
            return found
        return None

    def replace(self, request: DataRequest) -> None:
        """Put `request` in the place of the one with its identifier."""
        self._write(request)

    def all(self) -> tuple[DataRequest, ...]:
        """Return every request."""
        names = [bytes.fromhex(each.name).decode() for each in self._folder.iterdir() if each.name.isalnum()]
        return tuple(each for each in map(self.get, names) if each is not None)

    def _write(self, request: DataRequest) -> None:
        # A file appears as a whole: another process never reads half of it.
        whole = self._folder / f".{request.id}"
        whole.write_bytes(pickle.dumps(request))
        whole.rename(self._folder / request.id.encode().hex())


def main() -> None:
    """Run, print a table, and say by the exit code whether workers that conform were failed."""
    options = _options()
    accepted = True
    for workers in options.workers:
        for own_sockets in (False, True):
            where = "SO_REUSEPORT" if own_sockets else "one socket"
            found = [_failed(workers, seed, own_sockets=own_sockets, counts_all=False) for seed in range(options.runs)]
            named, any_ = sum(REQUIREMENT in each for each in found), sum(map(bool, found))
            conforming = [_failed(workers, seed, own_sockets=own_sockets, counts_all=True) for seed in range(3)]
            accepted &= not any(conforming)
            print(
                f"{workers} workers, {where}: {REQUIREMENT} found in {named} of {options.runs} runs, any failure in "
                f"{any_}; counting together: {sum(not each for each in conforming)} of 3 accepted",
                flush=True,
            )
    sys.exit(not accepted)


def _failed(workers: int, seed: int, *, own_sockets: bool, counts_all: bool) -> list[str]:
    """Return the requirements that one run reports as failed; ["undecided"] where there is no other outcome."""
    with (
        tempfile.TemporaryDirectory() as output,
        _served(workers, own_sockets=own_sockets, counts_all=counts_all) as base_url,
    ):
        done = subprocess.run(
            [COMMAND, "check", base_url, "--quiet", "--seed", str(seed), "--empty-account", "--output", output],
            env={**os.environ, "DRSI_TOKEN": USERS[0].token, "DRSI_OTHER_TOKEN": USERS[1].token},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST,
        )
        written = Path(output, "report.json")
        if not written.exists():
            raise RuntimeError(f"no report: {done.stderr.strip()[-500:]}")
        report: dict[str, Any] = json.loads(written.read_text("utf-8"))
    failed = [row["id"] for row in report["requirements"] if row["verdict"] == "fail"]
    return failed or ([] if report["outcome"] == Outcome.CONFORMS or not counts_all else ["undecided"])


@contextmanager
def _served(workers: int, *, own_sockets: bool, counts_all: bool) -> Iterator[str]:
    """Give the base_url of a service in so many processes, which end with the context."""
    listening = [_bound(own_sockets=own_sockets)]
    port = listening[0].getsockname()[1]
    if own_sockets:
        listening += [_bound(port, own_sockets=True) for _ in range(workers - 1)]
    else:
        listening *= workers
    for each in listening:
        each.listen(100)  # before any worker runs: connections wait for the first that accepts
    with tempfile.TemporaryDirectory() as folder:
        context = multiprocessing.get_context("fork")
        children = [
            context.Process(target=_work, args=(each, Path(folder), counts_all), daemon=True) for each in listening
        ]
        try:
            for child in children:
                child.start()
            for each in listening:
                each.close()
            yield f"http://127.0.0.1:{port}{CONFIG.path_prefix}"
        finally:
            for child in children:
                child.kill()
                child.join()


def _bound(port: int = 0, *, own_sockets: bool) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if own_sockets:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind(("127.0.0.1", port))
    return listener


def _work(listener: socket.socket, folder: Path, counts_all: bool) -> None:
    app = build_app(CONFIG)
    service: Service = app.state.service
    service.store = SharedStore(folder, counts_all=counts_all)
    config = uvicorn.Config(
        app,
        http="h11",
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
    )
    uvicorn.Server(config).run(sockets=[listener])


def _options() -> argparse.Namespace:
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=positive, default=30, help="runs against each (default: 30)")
    parser.add_argument("--workers", type=positive, nargs="+", default=[2, 4], help="numbers of workers (default: 2 4)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
