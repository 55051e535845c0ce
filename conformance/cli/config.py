"""The configuration file `drsi-conformance.toml`, and the sources of the access tokens."""

from __future__ import annotations

import difflib
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from conformance.model.target import Token

FILE_NAME: Final = "drsi-conformance.toml"
_NOT_IN_A_FILE: Final = (
    "config",
    "debug",
    "plan",
    "har",
    "last_failed",
    "watch",
    "token",
    "other_token",
    "expired_token",
    "foreign_token",
)


def keys() -> dict[str, click.Parameter]:
    """Return the options that a configuration file may set, by key: the options of `check`."""
    from conformance.cli.check import command

    return {
        option.name.replace("_", "-"): option
        for option in command.params
        if option.name and option.name not in _NOT_IN_A_FILE
    }


def load(context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    """Make the values of the configuration file the defaults of the command (callback of --config); return the file.

    Without --config the file of the working directory is read, if there is one. Paths are relative to the file.
    """
    if path is None:
        path = Path(FILE_NAME)
        if not path.exists():
            return None
    options, context.default_map = keys(), {}
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
        raise ValueError(f"{key} must be {expected}, not {received}.")
    if isinstance(option.type, click.Path):
        return folder / Path(value).expanduser()
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


def token(context: click.Context, key: str) -> Token | None:
    """Return the token `key`, such as "other_token", that the command line, the environment or the file gives.

    A token given without a BASE_URL is an error: the reference service has tokens of its own. A variable may be set for
    other runs, so it only causes a warning.
    """
    for source in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP):
        given = {
            _shown(context, source, name): name
            for name in (key, f"{key}_file", f"{key}_command")
            # CI sets the variable of a secret that does not exist to an empty text.
            if context.get_parameter_source(name) is source and str(context.params[name]).strip()
        }
        if len(given) > 1:
            raise click.UsageError(
                f"One token is given in more than one way: {' and '.join(given)}. Remove one of them."
            )
        for shown, name in given.items():
            if context.params["base_url"] is not None or context.params.get("app") is not None:
                return _opened(shown, name, context.params[name])
            if source is not ParameterSource.ENVIRONMENT:
                raise click.UsageError(
                    f"{shown} gives a token, but there is no BASE_URL to use it for. Add the BASE_URL."
                )
            click.echo(f"Warning: {shown} is not used: without a BASE_URL the reference service is checked.", err=True)
            return None
    return _of_a_login(context, key)


def _of_a_login(context: click.Context, key: str) -> Token | None:
    """Return the token that `login` keeps for the service, or None: for a command that takes it and needs it."""
    params = context.params
    if params["base_url"] is None or not params.get("login") or params["profile"] == "public" or key not in params:
        return None
    from conformance.cli import logins

    return logins.token(params["base_url"], key, params["ca_file"])


def _shown(context: click.Context, source: ParameterSource, name: str) -> str:
    if source is ParameterSource.ENVIRONMENT:
        return f"DRSI_{name.upper()}"
    if source is ParameterSource.COMMANDLINE:
        return next(option.opts[0] for option in context.command.params if option.name == name)
    return f"{name.replace('_', '-')} in {context.params['config']}"


def _opened(shown: str, name: str, given: Any) -> Token:
    from conformance.http.renewed_tokens import CommandToken
    from conformance.model.errors import ConfigurationFault
    from conformance.model.target import Token

    try:
        if name.endswith("_command"):
            return CommandToken(given, name=shown)
        if name.endswith("_file"):
            return Token(Path(given).read_bytes().decode("utf-8"))
        if shown.startswith("--"):
            click.echo(
                f"Warning: {shown} is visible in the process list; {shown}-file and DRSI_{name.upper()} are not.",
                err=True,
            )
        return Token(given)
    except (ConfigurationFault, UnicodeDecodeError, OSError) as error:
        reason = f"{given} cannot be read: {error.strerror}." if isinstance(error, OSError) else error
        if isinstance(error, UnicodeDecodeError):
            reason = f"{given} is not UTF-8 text."
        raise click.UsageError(f"{shown}: {reason} Expected: an access token for the service.") from None
