"""What a run has learned about the target and shares between its checks."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from conformance.model.exchange import Exchange


@dataclass
class SharedResults:
    """What a run has asked once, and every check and scenario may read."""

    settings: dict[str, Any] | None = None
    """The document of GET /settings."""
    data_types: list[Any] | None = None
    """The document of GET /data."""
    types: list[str] | None = None
    """The identifiers of the data types on offer, each once."""
    every_type: frozenset[str] | None = None
    """Every identifier that was listed at any time of the run: an earlier creation was for the types of then."""
    selected_language: dict[str, Any] = field(default_factory=dict)
    """What a call of GET /data sends besides, where the target answers only with a language."""
    data_me: Exchange | None = None
    """An answer to GET /data/me with the token of the user."""
    early_creation: Exchange | None = None
    """The creation of the request that is kept until the end of the run."""
    undeleted: dict[str, bool] = field(default_factory=dict)
    """Whether a request could still be read after its deletion, for each one that was looked for."""
    scenarios: dict[object, Future[Any]] = field(default_factory=dict)
    """What each scenario returned or raised."""
