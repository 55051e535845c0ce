"""The folder for what the programs of a user can make again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from conformance import NAME


def cache_folder(part: str) -> Path | None:
    """Return the folder of one part of the suite; None for a user without a home, as in a container.

    What is in it can change no verdict: it is made again when it is gone.
    """
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not given.is_absolute():
        parts = {"win32": "AppData/Local", "darwin": "Library/Caches"}
        try:
            given = Path.home() / parts.get(sys.platform, ".cache")
        except RuntimeError:
            return None
    return given / NAME / part
