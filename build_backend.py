"""The build backend of this project (PEP 517): setuptools, whose archives are packed again so that none depends on
the folder, the time, the time zone or the umask of the build. The same source gives the same bytes. The description in
their metadata is README.md with absolute links, because an index of packages shows it away from its files.
"""

from __future__ import annotations

import gzip
import io
import re
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

from conformance.trust import wheel

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

_NAMED = ("Version:", "Project-URL: Homepage,")
"""The fields that say where the files of a release are."""
_RELATIVE = re.compile(r"(!?\[[^\]]*\]\()(?![a-z]+:|#)([^)\s]+)")
"""A link or a picture of Markdown whose target is relative: what stands before the target, and the target."""


def build_wheel(
    directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Write the wheel to `directory`, and return its name."""
    name = str(build_meta.build_wheel(directory, config_settings, metadata_directory))
    path = Path(directory, name)
    content = wheel.read(path)
    for file in (each for each in content if each.endswith(".dist-info/METADATA")):
        content[file] = with_absolute_links(content[file])
    path.write_bytes(wheel.packed(content))
    return name


def build_sdist(directory: str, config_settings: dict[str, Any] | None = None) -> str:
    """Write the archive of the source to `directory`, and return its name."""
    name = str(build_meta.build_sdist(directory, config_settings))
    path = Path(directory, name)
    path.write_bytes(_packed_again(path))
    return name


def with_absolute_links(metadata: bytes) -> bytes:
    """Return core metadata whose description links to the files of its release, on the host of its Homepage."""
    head, gap, description = metadata.decode().partition("\n\n")
    found = {name: re.search(rf"^{name} ?(\S+)$", head, re.MULTILINE) for name in _NAMED}
    version, homepage = (match[1] if match else "" for match in found.values())
    pages = f"{homepage}/blob/v{version}/"
    pictures = f"{homepage.replace('github.com', 'raw.githubusercontent.com')}/v{version}/"

    def absolute(link: re.Match[str]) -> str:
        return f"{link[1]}{pictures if link[1].startswith('!') else pages}{link[2]}"

    return f"{head}{gap}{_RELATIVE.sub(absolute, description)}".encode()


def _packed_again(path: Path) -> bytes:
    """Return the archive `path` with sorted names, and without times, owners and modes of this machine."""
    plain = io.BytesIO()
    with tarfile.open(path) as source, tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as target:
        for member in sorted(source.getmembers(), key=lambda each: each.name):
            if member.isfile():
                content = source.extractfile(member).read()  # type: ignore[union-attr] # of a file it is not None
                if member.name.endswith("/PKG-INFO"):
                    content = with_absolute_links(content)
                entry = tarfile.TarInfo(member.name)
                entry.size, entry.mtime, entry.mode = len(content), _MOMENT, 0o644
                target.addfile(entry, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), compresslevel=9, mtime=_MOMENT)
