"""The configuration file `drsi-conformance.toml`."""

from __future__ import annotations

import difflib
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import click

from conformance.cli.option import FILE, NAMED_FILE, allowed

FILE_NAME: Final = "drsi-conformance.toml"


def keys(*, is_named: bool = False) -> dict[str, click.Parameter]:
    """Return the options that a configuration file may set, by key: the options of `check`.

    Some of them only a file that --config names may set.
    """
    from conformance.cli.check import command
    from conformance.cli.options import Options

    of_a_file = allowed(Options, FILE) + (allowed(Options, NAMED_FILE) if is_named else ())
    return {each.name.replace("_", "-"): each for each in command.params if each.name and each.name in of_a_file}


def load(context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    """Make the values of the configuration file the defaults of the command (callback of --config); return the file.

    Without --config the file of the working directory is read, if there is one. Paths are relative to the file.
    """
    is_named = path is not None
    path = path or Path(FILE_NAME)
    if not is_named and not path.exists():
        return None
    options, context.default_map = keys(is_named=is_named), {}
    for written, value in document(path, "--config").items():
        key = written.replace("_", "-")
        option = options.get(key)
        if option is None:
            raise click.UsageError(f"{path}: {_unknown(written, key, list(options))}")
        assert option.name
        if option.name in context.default_map:
            raise click.UsageError(f"{path}: {key} is given twice, once with a hyphen and once with an underscore.")
        try:
            default = value_of(key, option, value, path.parent)
        except ValueError as error:
            raise click.UsageError(f"{path}: {error}") from None
        context.default_map[option.name] = default
        try:
            option.process_value(context, default)
        except click.BadParameter as error:
            raise click.UsageError(f"{path}: {key}: {error.message}") from None
    return path


def document(path: Path, option: str) -> dict[str, Any]:
    """Return the TOML document of the file `path`, which `option` names; raise UsageError if there is none."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror or error}. Check {option}.") from None
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path} is not UTF-8 (byte {error.start}). Save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:  # besides TOMLDecodeError: numbers and tables beyond Python's limits
        raise click.UsageError(f"{path} is not valid TOML: {error}.") from None


def text_of_this_folder(key: str) -> str:
    """Return a text of the configuration file of the working directory; empty if there is none, or it is wrong.

    It is for commands that read no other key of that file.
    """
    if not Path(FILE_NAME).is_file():
        return ""
    with suppress(click.UsageError):  # the other keys of that file are no matter of these commands
        written = document(Path(FILE_NAME), "--config").get(key)
        return written if isinstance(written, str) else ""
    return ""


def _unknown(written: str, key: str, known: list[str]) -> str:
    if key in ("token", "other-token", "expired-token", "foreign-token"):
        variable = f"DRSI_{key.upper().replace('-', '_')}"
        files = f"a {key}-file" + (f" or a {key}-command" if f"{key}-command" in known else "")
        return (
            f"{written} does not belong in a configuration file, which may be shared or committed. "
            f"Set {variable}, or name {files} here."
        )
    if key in keys(is_named=True):
        return (
            f"{written} decides where the tokens go, so a file that is only found in this folder cannot set it. "
            f"Name the file with --config, or give --{key}."
        )
    return no_key(written, key, known)


def no_key(written: str, key: str, known: list[str]) -> str:
    """Return what is wrong with a key of a file that is none of those known."""
    near = difflib.get_close_matches(key, known, n=1)
    return f"there is no key {written!r}. " + (f"Did you mean {near[0]!r}?" if near else f"Keys: {', '.join(known)}.")


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
