"""Files in TOML that a command reads, and the files that they name."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

import click

_MOST: Final = 1 << 30
"""Most bytes of a file: those of a bundle, which a baseline may be."""


def is_found(path: Path) -> bool:
    """Whether the working directory has this file; raise UsageError for what never ends, such as a pipe or a device."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise click.UsageError(f"{path} is no file with an end. Remove it: a folder that others made may hold it.")
    return path.exists()


def content_of(path: Path, option: str) -> bytes:
    """Return the bytes of the file `path`, which `option` names; raise UsageError if there is none."""
    try:
        if path.stat().st_size > _MOST:
            raise click.UsageError(f"{path} has more than {_MOST:,} bytes. Check {option}.")
        return path.read_bytes()
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror or error}. Check {option}.") from None


def parsed(path: Path, content: bytes) -> dict[str, Any]:
    """Return the TOML document in the bytes of the file `path`; raise UsageError if it is none."""
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path} is not UTF-8 (byte {error.start}). Save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:  # besides TOMLDecodeError: numbers and tables beyond Python's limits
        raise click.UsageError(f"{path} is not valid TOML: {error}.") from None
