"""How a run was made: the target and the connection to it, options, selection and machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Tls:
    """The first TLS connection of the run."""

    version: str
    certificate_sha256: str


@dataclass
class Peers:
    """What the connections of a run led to: IP addresses, and the first trusted TLS connection."""

    addresses: dict[str, None] = field(default_factory=dict)
    tls: Tls | None = None


@dataclass(frozen=True, kw_only=True)
class CheckedTarget:
    """The service that was checked; `addresses` are those that the run connected to."""

    base_url: str
    addresses: tuple[str, ...] = ()
    tls: Tls | None = None


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The machine of the suite: versions of Python, of the platform and of the suite's dependencies."""

    python: str = ""
    platform: str = ""
    dependencies: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    """Digest of the installed modules of each package; none where it is not known."""


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """How the run was made: options that can change a verdict or the traffic, labels of the user, and environment."""

    options: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    nonce: str = ""
    """The challenge of a regulator, which was in the User-Agent of every request; may be empty."""
    pseudonym_key: str = ""
    """The id of the key of --pseudonym-key, which shows nothing of the key; empty if none was given."""
    help_base: str = ""
    """The address of a documentation site to which views link, without a slash at its end; empty if none was given."""
    environment: Environment = Environment()


@dataclass(frozen=True, kw_only=True)
class Scope:
    """The profile, set and selection of the run; `left_out` are the scored ids that it therefore did not decide.

    `undeclared` are those that only a declaration of the tester could decide, such as the language selector.
    """

    profile: str = "full"
    set: str = ""
    """Name of the set of requirements that are scored; empty if the whole catalogue is."""
    select: tuple[str, ...] = ()
    deselect: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    """The ids and clauses whose checks alone ran; empty if others may have run."""
    left_out: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()
