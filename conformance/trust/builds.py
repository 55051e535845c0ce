"""The build that made a run, and this one: the one place that decides whether they are the same."""

from __future__ import annotations

from conformance import __version__
from conformance.model.build import build


def is_this_build(recorded: object) -> bool:
    """Tell whether this build made the run whose report names the build `recorded`; None or "" names none.

    The digest alone decides: builds with the same version and catalogue may ask and judge otherwise.
    """
    return recorded == build()


def named(version: object, recorded: object) -> str:
    """Return the version and the build of a run in words."""
    return f"version {version}, {recorded or 'which recorded no digest of its code'}"


def this_build() -> str:
    """Return the same of this build."""
    return named(__version__, build())
