"""The line of the calibration set that an exception or a wrong declaration comes from."""

from __future__ import annotations

from pathlib import Path
from traceback import StackSummary, extract_tb, format_exception_only

_HERE = Path(__file__).parent


def raised(error: BaseException) -> str:
    """Return an exception in words, with the place that it comes from."""
    return f"{''.join(format_exception_only(error)).strip()} at {place(extract_tb(error.__traceback__))}"


def place(frames: StackSummary) -> str:
    """Return file and line of the innermost frame in a fault, a twin or their building blocks, or else of all."""
    called = [(Path(each.filename), each.lineno) for each in reversed(frames)]
    rooms = [_HERE / name for name in ("faults", "twins", "operators.py")]
    inside = [each for room in rooms for each in called if each[0].is_relative_to(room)]
    file, line = (inside or called)[0]
    root = _HERE.parents[1]
    return f"{(file.relative_to(root) if file.is_relative_to(root) else file).as_posix()}:{line}"
