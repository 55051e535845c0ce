"""The conditions of a run: what its record needs beside the exchanges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Conditions:
    """What a replay needs beside the exchanges: what the run knew or decided without them. JSON in evidence.har."""

    account_is_empty: bool = False
    account_was_reset: bool = False
    allow_short_token: bool = False
    language_selector: str = ""
    thorough: bool = False
    max_created: int = 200
    concurrency: int = 4
    anonymous: bool = False
    app_host: str = ""
    headers: Sequence[str] = ()
    """Names of the further header fields of every call; a record without any does not have it."""
    await_completion: float | None = None
    clock_was_set: float = 0.0
    """By how many seconds the wall clock of the machine was set while the run went on."""
    tokens: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    """The stand-in for the token of each user, by the label of the credential, and whether a command renews it."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """The stand-in for each real token that the service must not accept, by the label of the credential."""
    completion: tuple[str, str] | None = None
    """Why the command that completes a request failed, and what to do, both empty if it did not; None without one."""
    time_is_up: tuple[str, str] = ("", "")
    """Message and blame of what was not tested because the time of the run ended."""
    ended_before: str = ""
    """The first check or search for calls that did not begin because no time was left; empty if all began."""
    ended_at: str = ""
    """The first check whose calls were not all made: no time was left, or the run was interrupted."""
    interrupted: bool = False
    derivation: Mapping[str, str] | None = None
    """How identifiers derive from data of the account, as in `Derivation`; None if this was not examined."""
    generated: Mapping[str, list[Any]] = field(default_factory=dict)
    """What libraries generated for the run, as in `Session.generated`."""
    users: Sequence[str] = ()
    """The labels of the users whose tokens the run had."""
    ever_listed: Sequence[str] | None = None
    """Every identifier of a data type that the service listed during the run; None if it listed none."""
    selector_is_unknown: bool = False
    """Whether the service publishes several languages, and no selector that the run tried has an effect."""
    results: Mapping[str, Any] = field(default_factory=dict)
    """What each scenario returned, by its name, as `trace/codec.py` writes it."""
    ends: Mapping[str, Any] = field(default_factory=dict)
    """The exception that ended each scenario which returned nothing, by its name."""
