"""The configuration file `drsi-conformance.toml`.

A file that is only found in the working directory may come from others: a pull request, or a folder that somebody
sent. So it sets only harmless options, unless the user trusts its content (`cli/trusted.py`) or names it with --config.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from conformance.cli.option import FILE, NAMED_FILE, places_of
from conformance.cli.trusted import Subject
from conformance.model.printable import printable
from conformance.model.text import did_you_mean

FILE_NAME: Final = "drsi-conformance.toml"
HELP: Final = f"Read options from this TOML file.  [default: {FILE_NAME}, of which most counts only if you trust it]"

_OF_READERS: Final = frozenset({"specification", "help_base"})
"""The options that a command takes which calls no service."""
_ANY_FILE: Final = FILE | NAMED_FILE
_MOST: Final = 1 << 30
"""Most bytes of a file: those of a bundle, which a baseline may be."""
COUNTED: Final = frozenset({"waivers", "baseline", "ca-file"})
"""The keys of files whose content decides what counts or which authority is believed. Tokens and keys may change."""


def is_found(path: Path) -> bool:
    """Whether the working directory has this file; raise UsageError for what never ends, such as a pipe or a device."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise click.UsageError(f"{path} is no file with an end. Remove it: a folder that others made may hold it.")
    return path.exists()


def content_of(path: Path, option: str) -> bytes:
    """Return the bytes of the file `path`, which `option` names; raise UsageError if there is none."""
    try:
        if path.stat().st_size > _MOST:
            raise click.UsageError(f"{path} has more than {_MOST:,} bytes. Check {option}.")
        return path.read_bytes()
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror or error}. Check {option}.") from None


def parsed(path: Path, content: bytes) -> dict[str, Any]:
    """Return the TOML document in the bytes of the file `path`; raise UsageError if it is none."""
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path} is not UTF-8 (byte {error.start}). Save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:  # besides TOMLDecodeError: numbers and tables beyond Python's limits
        raise click.UsageError(f"{path} is not valid TOML: {error}.") from None


def keys() -> dict[str, click.Parameter]:
    """Return the options that a configuration file may set, by key: those of the command `check`."""
    from conformance.cli.check import command  # which reads such a file itself

    return {each.name.replace("_", "-"): each for each in command.params if each.name and places_of(each) & _ANY_FILE}


def load(context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    """Make the values of the configuration file the defaults of the command (callback of --config); return the file.

    Without --config the file of the working directory is read, if there is one. Paths are relative to the file. A
    command that calls no service leaves the keys of others aside.
    """
    is_named = path is not None
    path = path or Path(FILE_NAME)
    if not is_named and not is_found(path):
        return None
    own = {each.name or "" for each in context.command.params}
    found = read(path, None if "base_url" in own else own & _OF_READERS)
    if not is_named and found.decisive:
        found.subject.demand()
    context.default_map = {}
    for key, (option, value) in found.values.items():
        assert option.name
        context.default_map[option.name] = value
        try:
            option.process_value(context, value)
        except click.BadParameter as error:
            raise click.UsageError(f"{path}: {key}: {error.message}") from None
    if found.values:
        given = ", ".join(found.values)
        click.echo(printable(f"Options from {path}, unless given otherwise: {given}."), err=True)
    return path


def demand_again(context: click.Context) -> None:
    """Raise Failure if a file that was found, or one that it names, is not as the user trusts it any more."""
    path: Path | None = context.params["config"]
    if path is not None and context.get_parameter_source("config") is ParameterSource.DEFAULT:
        found = read(path)
        if found.decisive:
            found.subject.demand()


@dataclass(frozen=True)
class Configuration:
    """The file at `path`: its bytes, and by key its options and their values, with paths relative to the file."""

    path: Path
    content: bytes
    values: Mapping[str, tuple[click.Parameter, Any]]

    @property
    def decisive(self) -> list[str]:
        """The keys that count only in a file that is named or trusted."""
        return [key for key, (option, _) in self.values.items() if FILE not in places_of(option)]

    @property
    def files(self) -> list[Path]:
        """The files that this file names and whose content counts as its own does."""
        named = []
        for key, (_, value) in self.values.items():
            if key == "header":
                named += [each[1:] for each in value if each.startswith("@")]
            elif key.endswith("-command"):
                named += _programs(value, self.path.parent)
            elif key in COUNTED:
                named.append(value / "report.json" if os.path.isdir(value) else value)  # noqa: PTH112 - no OSError
        return sorted(Path(each) for each in named if os.path.isfile(each))  # noqa: PTH113 - no OSError

    @property
    def subject(self) -> Subject:
        """What the file decides, with the files that it names."""
        files = {self.path: self.content} | {each: content_of(each, "--config") for each in self.files}
        return Subject(files, "--config", f"sets {', '.join(self.decisive)}", self.shown())

    def shown(self) -> list[str]:
        """Return the decisive keys with their values, without secrets, for a terminal."""
        return [f"{key} = {printable(_without_secrets(key, self.values[key][1]))}" for key in self.decisive]


def _programs(command: str, project: Path) -> list[str]:
    """Return the words of a command, and of a script in it, that may name a program of the project.

    Those of the system change with it.
    """
    from conformance.http.processes import words_of

    words = re.split(r"[\s;|&<>(){}`$\"'=]+", command)
    with suppress(ValueError):  # an open quotation: the option says so
        words += words_of(command)
    folder = project.resolve()
    return [
        each for each in {*words} if not Path(each).is_absolute() or Path(os.path.realpath(each)).is_relative_to(folder)
    ]


def _without_secrets(key: str, value: Any) -> str:
    if key == "header":
        value = [each if each.startswith("@") else f"{each.partition(':')[0]}: …" for each in value]
    text = json.dumps(value, ensure_ascii=False, default=str)
    return re.sub(r"//[^/@]*@", "//…@", text) if key == "proxy" else text


def read(path: Path, takes: Collection[str] | None = None) -> Configuration:
    """Return the configuration file at `path`; of the options that it may set, a command `takes` some, or all.

    Raise UsageError if there is none, if it has an unknown key, or a value of another type than that of its option.
    """
    content, options = content_of(path, "--config"), keys()
    values: dict[str, tuple[click.Parameter, Any]] = {}
    for written, value in parsed(path, content).items():
        key = written.replace("_", "-")
        option = options.get(key)
        if takes is not None and (option is None or option.name not in takes):
            continue
        if option is None:
            raise click.UsageError(f"{path}: {_unknown(written, key, list(options))}")
        if key in values:
            raise click.UsageError(f"{path}: {key} is given twice, once with a hyphen and once with an underscore.")
        try:
            values[key] = option, value_of(key, option, value, path.parent)
        except ValueError as error:
            raise click.UsageError(f"{path}: {error}") from None
    return Configuration(path, content, values)


def _unknown(written: str, key: str, known: list[str]) -> str:
    if key in ("token", "other-token", "expired-token", "foreign-token"):
        variable = f"DRSI_{key.upper().replace('-', '_')}"
        files = f"a {key}-file" + (f" or a {key}-command" if f"{key}-command" in known else "")
        return (
            f"{written} does not belong in a configuration file, which may be shared or committed. "
            f"Set {variable}, or name {files} here."
        )
    hint = did_you_mean(key, known, f"Keys: {', '.join(known)}.")
    return f"there is no key {written!r}. {hint}"


def value_of(key: str, option: click.Parameter, value: Any, folder: Path) -> Any:
    """Return a value of a file as that of `option`, with paths relative to `folder`; raise ValueError for another type.

    Its type must match exactly: click alone would read true as 1.
    """
    kinds, expected = _expected(option)
    values = value if option.multiple and isinstance(value, list) else [value]
    if any(type(each) not in kinds for each in values):
        received = str(value).lower() if isinstance(value, bool) else f"{value!r:.60}"
        received = "another value" if key == "header" else received  # it may be a secret
        raise ValueError(f"{key} must be {expected}, not {received}.")
    if any(isinstance(each, str) and "\0" in each for each in values):
        raise ValueError(f"{key} has a null character, which no name and no address has. Remove it.")
    if isinstance(option.type, click.Path):
        return folder / Path(value).expanduser()
    if key == "header":
        return [f"@{folder / Path(each[1:]).expanduser()}" if each.startswith("@") else each for each in values]
    return values if option.multiple else value


def _expected(option: click.Parameter) -> tuple[tuple[type, ...], str]:
    if option.multiple:
        return (str,), "a string or an array of strings"
    if isinstance(option.type, click.types.BoolParamType):
        return (bool,), "true or false"
    if isinstance(option.type, click.types.FloatParamType):
        return (int, float), "a number"
    if isinstance(option.type, click.types.IntParamType):
        return (int,), "a whole number"
    return (str,), "a string"
