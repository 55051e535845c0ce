"""What a command shall do, from the command line, the environment and the configuration file, in that order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from conformance.cli import config_file, credentials
from conformance.cli.failure import Failure

if TYPE_CHECKING:
    from conformance.model.target import LanguageSelector, Token

PROFILES: Final = ("full", "public")
FORMATS: Final = ("html", "junit", "json", "har")
MAX_TIME: Final = 600.0
"""Seconds that a run may take unless it is told otherwise."""

_LIMITS: Final = {
    "timeout": (0.05, 86_400, "seconds from 0.05 to 86,400"),
    "rate": (0.01, 1_000_000, "requests per second from 0.01 to 1,000,000"),
    "concurrency": (1, 64, "a number of requests from 1 to 64"),
    "max-created": (0, 1_000_000, "a number of data requests from 0 to 1,000,000"),
    "max-time": (1, 1_000_000, "seconds from 1 to 1,000,000"),
    "max-requests": (20, 10_000_000, "a number of requests from 20 to 10,000,000"),
    "await-completion": (0, 86_400, "seconds from 0 to 86,400"),
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that was asked for, checked; None where nothing was said and something else decides."""

    base_url: str | None
    profile: str
    select: tuple[str, ...]
    deselect: tuple[str, ...]
    strict: bool
    fail_on: tuple[str, ...]
    language_selector: LanguageSelector | None
    empty_account: bool
    thorough: bool
    max_created: int | None
    max_requests: int | None
    max_time: float
    await_completion: float | None
    concurrency: int | None
    timeout: float | None
    rate: float | None
    seed: int
    output: Path | None
    formats: tuple[str, ...]
    html_log: Path | None
    ca_file: Path | None
    quiet: bool
    debug: bool
    user: Token | None
    other: Token | None
    config: Path | None
    """The configuration file that was read."""


def gather(options: Mapping[str, Any]) -> Settings:
    """Return the settings of a command; `options` are its parameters by the names click gives them.

    Raises Failure with one clear message, before anything is contacted.
    """
    line = {name.replace("_", "-"): value for name, value in options.items() if value not in (None, ())}
    file_path, file = config_file.read(line.get("config"))
    values = {**file, **line}
    named = _Names(line, file_path)
    for key in _LIMITS:
        _check_number(key, values.get(key), named)
    profile = values.get("profile", PROFILES[0])
    _check_choice("profile", [profile], PROFILES, named)
    formats = values.get("format", FORMATS)
    _check_choice("format", formats, FORMATS, named)
    base_url = _base_url(values.get("base-url"))
    user, other = _tokens(line, file, str(file_path), embedded=base_url is None)
    return Settings(
        base_url=base_url,
        profile=profile,
        select=_split("select", values.get("select", ()), named),
        deselect=_split("deselect", values.get("deselect", ()), named),
        strict=values.get("strict", False),
        fail_on=_fail_on(values.get("fail-on", ()), named),
        language_selector=_selector(values.get("language-selector"), named),
        empty_account=values.get("empty-account", False),
        thorough=values.get("thorough", False),
        max_created=values.get("max-created"),
        max_requests=values.get("max-requests"),
        max_time=values.get("max-time", MAX_TIME),
        await_completion=values.get("await-completion"),
        concurrency=values.get("concurrency"),
        timeout=values.get("timeout"),
        rate=values.get("rate"),
        seed=values.get("seed", 0),
        output=values.get("output"),
        formats=tuple(formats),
        html_log=values.get("html-log"),
        ca_file=values.get("ca-file"),
        quiet=values.get("quiet", False),
        debug=values.get("debug", False),
        user=user,
        other=other,
        config=file_path,
    )


class _Names:
    """Says how a value was given."""

    def __init__(self, line: Mapping[str, Any], file: Path | None) -> None:
        self._line = line
        self._file = file

    def __getitem__(self, key: str) -> str:
        return f"--{key}" if key in self._line else f"{key} in {self._file}"


def _check_number(key: str, value: float | None, named: _Names) -> None:
    low, high, wanted = _LIMITS[key]
    if value is not None and not (math.isfinite(value) and low <= value <= high):
        raise Failure(f"{named[key]} is {value:g}, but has to be {wanted}.")


def _fail_on(values: tuple[str, ...], named: _Names) -> tuple[str, ...]:
    if not values:
        return ()
    from conformance.model.report import ALL_ALERTS
    from conformance.model.requirements import catalogue

    parts = tuple(part.strip() for value in values for part in value.split(","))
    _check_choice("fail-on", parts, (ALL_ALERTS, *catalogue().alerts), named)
    return parts


def _check_choice(key: str, values: Any, choices: tuple[str, ...], named: _Names) -> None:
    for value in values:
        if value not in choices:
            raise Failure(f"{named[key]} is {value!r}, but has to be one of {', '.join(choices)}.")


def _split(key: str, values: tuple[str, ...], named: _Names) -> tuple[str, ...]:
    parts = tuple(part.strip() for value in values for part in value.split(","))
    if "" in parts:
        # Whoever names nothing, perhaps by a variable that is not set, does not mean everything.
        raise Failure(
            f"{named[key]} holds an empty id, but a clause (4.3) or an id (4.3-answers-ok) was expected.",
            remedy=f"Name one, or leave {key} out altogether; 'drsi-conformance requirements' lists them.",
        )
    return parts


def _base_url(given: str | None) -> str | None:
    from conformance.model.findings import ConfigurationFault
    from conformance.model.target import checked_base_url

    try:
        return None if given is None else checked_base_url(given)
    except ConfigurationFault as fault:
        raise Failure(str(fault)) from None


def _selector(given: str | None, named: _Names) -> LanguageSelector | None:
    from conformance.model.findings import ConfigurationFault
    from conformance.model.target import LanguageSelector

    try:
        return None if given is None else LanguageSelector.parse(given)
    except ConfigurationFault as fault:
        raise Failure(f"{named['language-selector']}: {fault}") from None


def _tokens(
    line: Mapping[str, Any], file: Mapping[str, Any], file_name: str, *, embedded: bool
) -> tuple[Token | None, Token | None]:
    found = [credentials.find(key, line, file, file_name) for key in ("token", "other-token")]
    if not embedded:
        user, other = map(credentials.open_token, found)
        return user, other
    for source in filter(None, found):
        what = f"{source.name} gives a token, but there is no BASE_URL"
        if not source.from_environment:
            # Whoever names a token means a service of their own, and must not be told that another one conforms.
            raise Failure(f"{what} to use it for.", remedy="Name the service: drsi-conformance check BASE_URL.")
        click.echo(f"Warning: {what}: the suite's own reference service is looked at, with its own tokens.", err=True)
    return None, None
