"""The build backend of this project (PEP 517): setuptools, whose archives are packed again so that none depends on
the folder, the time, the time zone or the umask of the build. The same source gives the same bytes.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path
from typing import Any

from setuptools import build_meta  # type: ignore[import-untyped]
from setuptools.build_meta import (  # type: ignore[import-untyped]
    build_editable,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

from conformance.evidence import wheel

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

_MOMENT = 315_532_800
"""1 January 1980 in seconds: the date of all files, the earliest one that a zip file can have."""


def build_wheel(
    directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Write the wheel to `directory`, and return its name."""
    name = str(build_meta.build_wheel(directory, config_settings, metadata_directory))
    path = Path(directory, name)
    path.write_bytes(wheel.packed(wheel.read(path)))
    return name


def build_sdist(directory: str, config_settings: dict[str, Any] | None = None) -> str:
    """Write the archive of the source to `directory`, and return its name."""
    name = str(build_meta.build_sdist(directory, config_settings))
    path = Path(directory, name)
    path.write_bytes(_packed_again(path))
    return name


def _packed_again(path: Path) -> bytes:
    """Return the archive `path` with sorted names, and without times, owners and modes of this machine."""
    plain = io.BytesIO()
    with tarfile.open(path) as source, tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as target:
        for member in sorted(source.getmembers(), key=lambda each: each.name):
            if member.isfile():
                entry = tarfile.TarInfo(member.name)
                entry.size, entry.mtime, entry.mode = member.size, _MOMENT, 0o644
                target.addfile(entry, source.extractfile(member))
    return gzip.compress(plain.getvalue(), compresslevel=9, mtime=_MOMENT)
