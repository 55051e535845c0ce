"""The conditions of a run: what its record needs beside the exchanges."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from conformance.model.errors import NotDecided
from conformance.model.findings import Crash
from conformance.model.target import Target


@dataclass(frozen=True)
class Conditions:
    """What a run knew or decided that its exchanges do not show, and the results of its scenarios.

    Evidence holds it as JSON, without what has its default.
    """

    target: Target = field(default_factory=lambda: Target(base_url=""))
    """Evidence has it without its address, which the report has, and without credentials."""
    clock_was_set: float = 0.0
    """By how many seconds the wall clock of the machine was set while the run went on."""
    users: tuple[str, ...] = ()
    """The labels of the users whose tokens the run had."""
    refused_tokens: tuple[str, ...] = ()
    """The labels of the real tokens that the service must not accept."""
    completes: bool = False
    """Whether the tester gave a command that completes a request."""
    time_is_up: NotDecided | None = None
    """The reason for what was not tested because the time of the run ended; None if it did not end."""
    ended_before: str = ""
    """The first check whose calls were not all made; empty if all were."""
    interrupted: bool = False
    crashes: tuple[Crash, ...] = ()
    """The crashes of the suite before it judged, but for those that ended a scenario."""
    ever_listed: tuple[str, ...] | None = None
    """Every identifier of a data type that the service listed during the run; None if it listed none."""
    created: int = 0
    """Number of different identifiers of requests that the run created, as its journal counts them."""
    deleted: int = 0
    not_found: int = 0
    """Numbers of those whose deletion was confirmed, or answered with 404 or 410."""
    left_behind: int = 0
    """Number of requests that the clean-up left, or may have left."""
    selector_is_unknown: bool = False
    """Whether the service publishes several languages, and no selector that the run tried has an effect."""
    results: dict[str, Any] = field(default_factory=dict)
    """What each scenario returned, by its name, as `trace/codec.py` writes it."""
    ends: dict[str, Any] = field(default_factory=dict)
    """The exception that ended each scenario which returned nothing, by its name."""
