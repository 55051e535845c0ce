"""The reference service in a process of its own; this process loads nothing of the service."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from types import TracebackType


class ReferenceProcess:
    """A reference service in a process of its own, on a free port of the loopback address, while the context lasts.

    `program` is the module that serves, with its arguments. The child watches its standard input, which this process
    holds open: it ends when the context does and also when this process dies. Raises RuntimeError when the child does
    not start.
    """

    def __init__(self, program: Sequence[str] = ("conformance.reference",)) -> None:
        self._program = program
        self._child: subprocess.Popen[str] | None = None
        self.base_url = ""
        self.tokens: tuple[str, ...] = ()

    @property
    def pid(self) -> int | None:
        """Process id of the child, or None."""
        return self._child.pid if self._child else None

    def launch(self) -> None:
        """Start the child and return at once; `start` waits for it."""
        command = [sys.executable, "-P", "-m", *self._program]
        self._child = subprocess.Popen(  # noqa: S603 our own module, no shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            # Windows has no mask of signals that keeps Ctrl-C from the child, as the caller has elsewhere.
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )

    def start(self) -> ReferenceProcess:
        """Wait until the child listens; start it first if necessary."""
        if self._child is None:
            self.launch()
        assert self._child
        assert self._child.stdout
        line = self._child.stdout.readline()
        if not line:
            self.stop()
            raise RuntimeError("the reference service did not start; its error output says why")
        ready = json.loads(line)
        if "error" in ready:
            self.stop()
            raise RuntimeError(ready["error"])
        self.base_url, self.tokens = ready["base_url"], tuple(ready["tokens"])
        return self

    def wait(self) -> None:
        """Wait until the child ends by itself, or KeyboardInterrupt."""
        if self._child is not None:
            self._child.wait()

    def stop(self) -> None:
        """End the child, if it runs."""
        child, self._child = self._child, None
        if child is None:
            return
        assert child.stdin
        assert child.stdout
        with contextlib.suppress(OSError):  # a child that ended: EPIPE, and EINVAL on Windows
            child.stdin.close()
        try:
            child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()

    def __enter__(self) -> ReferenceProcess:
        """Start."""
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        self.stop()
