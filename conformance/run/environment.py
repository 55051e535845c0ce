"""The environment of a run, for its record: versions of Python, of the platform and of the suite's dependencies."""

from __future__ import annotations

import hashlib
import platform
import re
from contextlib import suppress
from functools import cache
from importlib import metadata

from conformance import NAME
from conformance.model.run_record import Environment


@cache
def environment() -> Environment:
    """Return the versions that this process uses, with digests of the installed files."""
    versions, digests = {}, {}
    for name in _dependencies():
        with suppress(metadata.PackageNotFoundError):
            distribution = metadata.distribution(name)
            versions[name] = distribution.version
            digests[name] = _digest(distribution.read_text("RECORD") or "")
    return Environment(
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        dependencies=versions,
        digests={name: digest for name, digest in digests.items() if digest},
    )


def _dependencies() -> list[str]:
    """Return the names of the packages that the suite needs without extras."""
    with suppress(metadata.PackageNotFoundError):
        wanted = metadata.requires(NAME) or []
        return sorted(re.split(r"[^\w.-]", each)[0] for each in wanted if "extra ==" not in each)
    return []


def _digest(record: str) -> str:
    """Return one digest of the modules in a RECORD file; empty for a package that is installed as a link to its source.

    Scripts and metadata are left out: the installer writes them, so they differ from machine to machine.
    """
    if "__editable__" in record:
        return ""
    lines = [line for line in record.splitlines() if ",sha256=" in line]
    modules = "\n".join(sorted(line for line in lines if not line.startswith("..") and ".dist-info/" not in line))
    return f"sha256:{hashlib.sha256(modules.encode()).hexdigest()}" if modules else ""
