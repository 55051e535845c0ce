"""The folders for what the programs of a user keep, and for what they can make again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from conformance import NAME


def user_folder(variable: str, usual: str, on_macos: str) -> Path:
    """Return the folder that a variable names, or else the usual one; raise RuntimeError for a user without a home.

    A variable counts if it has an absolute path, as the XDG specification says: another one is below the project.
    """
    for name in (variable, "LOCALAPPDATA") if sys.platform == "win32" else (variable,):
        if (given := Path(os.environ.get(name, ""))).is_absolute():
            return given / NAME
    return Path.home() / {"win32": "AppData/Local", "darwin": on_macos}.get(sys.platform, usual) / NAME


def cache_folder(part: str) -> Path | None:
    """Return the folder of one part of the suite; None for a user without a home, as in a container.

    What is in it can change no verdict: it is made again when it is gone.
    """
    try:
        return user_folder("XDG_CACHE_HOME", ".cache", "Library/Caches") / part
    except RuntimeError:
        return None
