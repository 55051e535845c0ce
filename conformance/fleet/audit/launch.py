"""How the process of a run is started: as a new Python, with the suite that is installed here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from conformance.fleet.audit import child
from conformance.http.processes import apart, end


class RunProcess:
    """The process of a run, in a session of its own: Ctrl-C in a terminal does not reach it."""

    def __init__(
        self, words: list[str], *, environment: Mapping[str, str], place: Path, memory: int, messages: Path
    ) -> None:
        """Start a command of the suite in the folder `place`, with `memory` MiB of address space, or 0 for no limit.

        The environment holds the tokens of the run, so nothing shows or keeps it. What the command writes to standard
        error goes into the file `messages`.
        """
        with messages.open("wb") as said:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, no shell
                [sys.executable, "-P", "-m", child.__name__, str(memory), *words],
                cwd=place,
                env={**environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=said,
                **apart(),
            )

    def ended(self, seconds: float) -> int | None:
        """Wait for the end, at most so long; return the exit code, or None."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def interrupt(self) -> None:
        """Let it clean up and end, as by Ctrl-C: close the pipe that it watches."""
        assert self._process.stdin
        with suppress(OSError):
            self._process.stdin.close()

    def kill(self) -> None:
        """End it, and what it started, at once."""
        end(self._process)
