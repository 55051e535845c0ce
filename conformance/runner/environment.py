"""The environment of a run, for its record: versions of Python, of the platform and of the suite's dependencies."""

from __future__ import annotations

import platform
import re
from contextlib import suppress
from functools import cache
from importlib import metadata

from conformance import NAME
from conformance.model.report import Environment


@cache
def environment() -> Environment:
    """Return the versions that this process uses."""
    versions = {}
    for name in _dependencies():
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return Environment(
        python=platform.python_version(), platform=f"{platform.system()} {platform.machine()}", dependencies=versions
    )


def _dependencies() -> list[str]:
    """Return the names of the packages that the suite needs without extras."""
    with suppress(metadata.PackageNotFoundError):
        wanted = metadata.requires(NAME) or []
        return sorted(re.split(r"[^\w.-]", each)[0] for each in wanted if "extra ==" not in each)
    return []
