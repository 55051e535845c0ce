"""The targets of an audit, read from a TOML or CSV file. The first mistake of each target is named with its line."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click
import httpx

from conformance.cli import config
from conformance.cli.check import command as check
from conformance.cli.option import AUDIT, allowed
from conformance.cli.values import split_labels
from conformance.fleet.audit.sources import TOKENS, Source, source_of
from conformance.model.errors import ConfigurationFault
from conformance.model.hosts import host_of
from conformance.model.option_values import UnusableHost, checked_base_url
from conformance.model.text import did_you_mean

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MOST_SHOWN: Final = 20
"""Mistakes that one message lists."""


@dataclass(frozen=True, kw_only=True)
class AuditTarget:
    """A service of an audit, with what its run needs. It holds no token."""

    name: str
    base_url: str
    profile: str = "full"
    tokens: Mapping[str, Source] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    authority: str = ""
    """On what authority the run is made: it permits no publication."""
    publish_consent: str = ""
    publish_authority: str = ""
    """Who consented to the publication of the results, or what permits it without; at most one of them."""
    arguments: tuple[str, ...] = ()
    """The target's own options of `check`, as arguments."""
    line: int = 0
    """Where the file names it."""
    unreachable: str = ""
    """Why no run can reach base_url, or empty."""

    @property
    def origin(self) -> str:
        """Scheme, host and port in lower case: one run at a time calls an origin."""
        url = httpx.URL(self.base_url)
        port = url.port or {"http": 80, "https": 443}[url.scheme]
        return f"{url.scheme}://{host_of(url)}:{port}"

    @property
    def leaves(self) -> bool:
        """Whether its runs leave a request on purpose, and go on with the one that the last run left."""
        return "--leave" in self.arguments

    @property
    def digest(self) -> str:
        """Digest of everything that the run depends on, so that a changed target is not taken for a finished one."""
        tokens = {key: [each.kind, each.value] for key, each in sorted(self.tokens.items())}
        told = [self.name, self.base_url, self.profile, tokens, dict(self.labels), self.authority, self.arguments]
        return "sha256:" + hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


_Row = tuple[int, dict[str, Any]]
"""The line where a target begins, and what the file says of it."""

_REQUIRED: Final = ("name", "base_url")
_PROFILES: Final = ("full", "public")
PUBLISHED: Final = ("publish_consent", "publish_authority")
"""The keys that permit a publication."""
_OWN: Final = ("name", "base_url", "profile", *TOKENS, "labels", "authority", *PUBLISHED)
_OPTIONS: Final = allowed(check, AUDIT)
"""The options of `check` that a target may have."""


def read(path: Path) -> list[AuditTarget]:
    """Return the targets of a file; raise ConfigurationFault, whose message has a line for each mistake."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigurationFault(
            f"{path} cannot be read: {error.strerror or error}.", remedy="Name a TOML or CSV file of targets."
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigurationFault(f"{path} is not UTF-8 (byte {error.start}).", remedy="Save it as UTF-8.") from None
    kinds: dict[str, Callable[[Path, str], list[_Row]]] = {".toml": _toml, ".csv": _csv}
    if path.suffix.lower() not in kinds:
        raise ConfigurationFault(
            f"Expected a file of targets whose name ends in .toml or .csv, received {path}.",
            remedy="Rename the file, or write it in one of these formats.",
        )
    targets: list[AuditTarget] = []
    problems: list[tuple[int, str]] = []
    lines: dict[str, int] = {}
    for line, values in kinds[path.suffix.lower()](path, text):
        try:
            target = _target(line, values, path.resolve().parent)
            if (name := target.name.lower()) in lines:
                first = f"the name {target.name!r} is already that of the target in line {lines[name]}"
                raise ValueError(f"{first}. Give each target a name of its own.")
        except ValueError as error:
            problems.append((line, str(error)))
        else:
            lines[name] = line
            targets.append(target)
    problems += _not_empty(targets)
    if problems:
        raise _wrong(path, *problems)
    if not targets:
        raise _wrong(path, (1, "expected at least one target, received none."))
    return targets


def _not_empty(targets: list[AuditTarget]) -> Iterator[tuple[int, str]]:
    """Yield the targets that confirm an empty account in which another target leaves a request."""
    leaving = [each for each in targets if each.leaves]
    for each in targets if leaving else ():
        for other in leaving if "--empty-account" in each.arguments else ():
            is_shared = other.base_url == each.base_url and other.tokens.get("token") in each.tokens.values()
            if is_shared and other is not each:
                yield (
                    each.line,
                    f"empty_account: the target in line {other.line} leaves a data request in this account (leave). "
                    "Leave out one of the two options.",
                )


def _wrong(path: Path, *problems: tuple[int, str]) -> ConfigurationFault:
    """Return the fault for problems with their lines."""
    lines = [f"{path}, line {line}: {message}" for line, message in sorted(problems)]
    more = len(lines) - _MOST_SHOWN
    shown = [*lines[:_MOST_SHOWN], *([f"… and {more} more"] if more > 0 else [])]
    return ConfigurationFault("\n".join(shown), remedy="Correct the file, and run again.")


def _toml(path: Path, text: str) -> list[_Row]:
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError names the line
        raise ConfigurationFault(f"{path} is not valid TOML: {error}.", remedy="Correct it, and run again.") from None
    tables = document.pop("target", [])
    if document or not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        named = ", ".join(map(repr, document)) or "target in another form"
        raise ConfigurationFault(
            f"{path}: expected only tables [[target]], received {named}.", remedy="Write each target as [[target]]."
        )
    # The TOML reader of Python tells no lines.
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _TABLE.match(line)]
    lines += [1] * (len(tables) - len(lines))
    return [
        (line, {_key(key): value for key, value in table.items()}) for table, line in zip(tables, lines, strict=False)
    ]


_TABLE: Final = re.compile(r"\s*\[\[\s*[\"']?target[\"']?\s*\]\]")


def _csv(path: Path, text: str) -> list[_Row]:
    head = text.partition("\n")[0]
    separator = ";" if head.count(";") > head.count(",") else ","  # as spreadsheets write it where the comma is decimal
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        columns = [_key(cell) for cell in next(reader, [])]
        for each in columns:
            if columns.count(each) > 1:
                raise _wrong(path, (1, f"the column {each!r} is there twice."))
            if each not in (*_OWN, *_OPTIONS):  # not for each row, and also where all cells are empty
                raise _wrong(path, (1, f"the column {each!r}: {_unknown(each)}"))
        for each in _REQUIRED:
            if each not in columns:
                raise _wrong(path, (1, f"there is no column {each!r}. Every target needs it."))
        rows = []
        last = reader.line_num
        for cells in reader:
            line, last = last + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(columns):
                expected = f"expected {len(columns)} cells, as in the head, received {len(cells)}."
                raise _wrong(path, (line, expected))
            values = {key: cell.strip() for key, cell in zip(columns, cells, strict=True) if cell.strip()}
            rows.append((line, values))
    except csv.Error as error:
        raise _wrong(path, (reader.line_num, f"this is not CSV: {error}.")) from None
    return rows


def _key(written: str) -> str:
    return written.strip().lower().replace("-", "_")


def _target(line: int, values: dict[str, Any], folder: Path) -> AuditTarget:
    """Return the target of a row; raise ValueError for the first mistake in it."""
    for key in _REQUIRED:
        if key not in values:
            raise ValueError(f"the target has no {key}. Add it.")
    found: dict[str, Any] = {}
    own: list[str] = []
    for key, value in values.items():
        try:
            if key in _OWN:
                found |= _member(key, value, folder)
            elif key in _OPTIONS:
                own += _arguments(key, value, folder)
            else:
                raise ValueError(_unknown(key))
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None
    if "--leave" in own:
        others = sorted({"repeat", "reset_command"} & values.keys())
        others += ['profile = "public"'] if found.get("profile") == "public" else []
        if others:
            raise ValueError(f"leave and {others[0]} exclude each other. Leave one of them out.")
    if all(key in values for key in PUBLISHED):
        raise ValueError(f"{' and '.join(PUBLISHED)} exclude each other. Leave one of them out.")
    tokens: dict[str, Source] = {key: found.pop(key) for key in TOKENS if key in found}
    return AuditTarget(**found, tokens=tokens, arguments=tuple(own), line=line)


def _unknown(key: str) -> str:
    known = [*_OWN, *_OPTIONS]
    listed = f"Known: {', '.join(known)}."
    return f"a target has nothing of this name. {did_you_mean(key, known, listed)}"


def _member(key: str, value: Any, folder: Path) -> dict[str, Any]:
    """Return the member `key` of a target; raise ValueError for a wrong value."""
    if key == "labels":
        return {key: _labels(value)}
    if not isinstance(value, str):
        raise ValueError(f"expected a text, received {_received(value)}.")
    text = value.strip()
    if key in TOKENS:
        return {key: source_of(key, text, folder)}
    if key == "name" and not _NAME.fullmatch(text):
        raise ValueError(
            "expected at most 100 letters, digits, dots, hyphens and underscores, a letter or digit first, because a "
            f"folder gets this name; received {text!r:.120}."
        )
    if key == "base_url":
        try:
            text = checked_base_url(text)
        except UnusableHost as fault:  # the name may be that of the service; the other targets are audited
            return {key: text, "unreachable": str(fault)}
    if key == "profile" and text not in _PROFILES:
        raise ValueError(f"expected {', '.join(_PROFILES[:-1])} or {_PROFILES[-1]}, received {text!r:.120}.")
    return {key: text}


def _labels(value: Any) -> dict[str, str]:
    """Return the labels of a table of texts (TOML), or of a text such as "case=4711; assessor=NAME" (CSV)."""
    if isinstance(value, dict) and all(isinstance(each, str) and "=" not in key for key, each in value.items()):
        return dict(value)
    if not isinstance(value, str):
        raise ValueError(f'expected texts by key, such as {{case = "4711"}}, received {_received(value)}.')
    try:
        return split_labels([part for part in value.split(";") if part.strip()])
    except click.UsageError as error:
        raise ValueError(error.message) from None


def _received(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value!r:.60}"


def _arguments(key: str, value: Any, folder: Path) -> Sequence[str]:
    """Return an option of `check` with its value as arguments; raise ValueError for a wrong one.

    A text, as CSV has it, is read as on the command line; a value of TOML has to have the type of the option.
    """
    option = next(each for each in check.params if each.name == key)
    name = f"--{key.replace('_', '-')}"
    if isinstance(option.type, click.types.BoolParamType) and isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower(), value)
    elif option.multiple and isinstance(value, str):
        value = [value]
    is_number = isinstance(option.type, click.types.FloatParamType | click.types.IntParamType)
    if not (is_number and isinstance(value, str)):
        value = config.value_of(key, option, value, folder)
    _refuse_secrets(key, value)
    try:
        option.process_value(click.Context(check), value)
    except click.UsageError as error:
        raise ValueError(error.message) from None
    if isinstance(value, bool):
        return [name if value else f"--no-{name[2:]}"]
    return [f"{name}={each}" for each in (value if isinstance(value, list) else [value])]


def _refuse_secrets(key: str, value: Any) -> None:
    """Raise ValueError for a secret, which would stand in the command line of the run and in the files of the audit."""
    if key == "header" and not all(each.startswith("@") for each in value):
        raise ValueError(
            "expected @FILE, a file with a line NAME: VALUE for each header field, received another text, which is not "
            "shown because it may be a secret."
        )
    if key == "proxy" and "@" in value:
        raise ValueError(
            "the address has a name or password, which does not belong in this file. Remove it, and set HTTPS_PROXY or "
            "HTTP_PROXY, which every run reads."
        )
