"""Output streams whose reader may go away at any time without anything else being lost."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import IO, TextIO


class Enduring:
    """A text stream that passes on what it is given, and falls silent once nobody is there to take it.

    A run has to clean up and write its report also when its terminal was closed.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write `text`, or drop it."""
        with self._enduring() as stream:
            if stream is not None:
                stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush, or do nothing."""
        with self._enduring() as stream:
            if stream is not None:
                stream.flush()

    def isatty(self) -> bool:
        """Tell whether a terminal is at the other end."""
        with contextlib.suppress(ValueError):
            return self._stream is not None and self._stream.isatty()
        return False

    @property
    def encoding(self) -> str:
        """The encoding of the stream beneath."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def fileno(self) -> int:
        """Return the descriptor beneath; raise OSError when there is none."""
        if self._stream is None:
            raise OSError("nobody is there to take it")
        return self._stream.fileno()

    @contextlib.contextmanager
    def _enduring(self) -> Iterator[TextIO | None]:
        try:
            yield self._stream
        except (OSError, ValueError):
            self._stream = None


def as_file(stream: TextIO | None) -> IO[str]:
    """Return `stream` as one that endures."""
    return Enduring(stream)  # type: ignore[return-value]  # rich asks for no more than is there


def never_fail_to_encode() -> None:
    """Let standard output and error show what their encoding lacks as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def finish(code: int) -> int:
    """Write out what is still held back and return `code`; where nobody reads it any more, drop it without a word."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except (OSError, ValueError):
            # The interpreter would try again at its end, complain, and change the exit code.
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code
