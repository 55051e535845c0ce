"""A command for tokens."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path


def renewing(folder: Path, begin: str) -> str:
    """Return a command that prints `begin` with another number each time it is run: 1, 2 …"""
    script = folder / "token.py"
    script.write_text(
        "import pathlib\n"
        f"count = pathlib.Path({str(folder / 'count')!r})\n"
        "number = int(count.read_text()) + 1 if count.exists() else 1\n"
        "count.write_text(str(number))\n"
        f"print(f'{begin}{{number}}')\n"
    )
    return shlex.join([sys.executable, "-S", "-E", str(script)])
