"""The values of options: what the texts of a command line become, and which texts are refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from conformance import NAME

PATH = click.Path(path_type=Path)


class Number(click.FloatRange):
    """A finite number in a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; click accepts nan in any range."""
        number = super().convert(value, param, ctx)
        return self.fail(f"{value!r} is not a number.", param, ctx) if math.isnan(number) else number


class Parsed(click.ParamType):  # type: ignore[type-arg]  # generic only in recent versions of click
    """A text that a function parses with the help of `model/option_values.py`, which takes long to load."""

    name = "text"

    def __init__(self, parse: Callable[[Any, str], object]) -> None:
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the parsed value; a value that a callback already parsed stays as it is."""
        from conformance.model import option_values
        from conformance.model.errors import ConfigurationFault

        try:
            return self._parse(option_values, value) if isinstance(value, str) else value
        except ConfigurationFault as fault:
            self.fail(str(fault), param, ctx)


def formats(_context: click.Context, _option: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    """Split the formats at commas, and check them (callback of --format); without any return the usual ones."""
    from conformance.reports.files import ANNOTATED, FORMATS

    given = formats_of_a_record(_context, _option, values)
    if noted := [each for each in given if each in ANNOTATED]:
        raise click.BadParameter(
            f"{noted[0]} is made of a recorded run: {NAME} render RUN --format {noted[0]} --specification FILE. "
            f"Formats: {', '.join(FORMATS)}."
        )
    return given


def formats_of_a_record(_context: click.Context, _option: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    """Split and check the formats as `formats`, with those that only a recorded run has."""
    from conformance.reports.files import ANNOTATED, DEFAULT_FORMATS, FORMATS

    known = [*FORMATS, *ANNOTATED]
    given = tuple(part.strip() for value in values for part in value.split(","))
    if unknown := [each for each in given if each not in known]:
        raise click.BadParameter(f"{unknown[0]!r} is no format. Formats: {', '.join(known)}.")
    return given or DEFAULT_FORMATS


def language_codes(_context: click.Context, _option: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    """Return the codes of the languages in which to write, each of which has texts (callback of --language)."""
    from conformance.reports.language import ENGLISH, languages

    codes = tuple(dict.fromkeys(part.strip() for value in values for part in value.split(",")))
    for code in codes:
        if code not in languages():
            raise click.BadParameter(f"{code!r:.50} is no language of the suite. Languages: {', '.join(languages())}.")
    return codes or (ENGLISH,)


def ids(_context: click.Context, _option: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    """Split the values at commas. An empty part, perhaps from an unset variable, must not select everything."""
    parts = tuple(part.strip() for value in values for part in value.split(","))
    if "" in parts:
        raise click.BadParameter("an id is empty. Expected a clause (4.3) or an id (4.3-answers-ok).")
    return parts


def alerts(context: click.Context, option: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    """Split the alerts at commas, and check them (callback of --fail-on)."""
    if not values:
        return ()
    from conformance.model.requirements import catalogue
    from conformance.model.results import ALL_ALERTS

    choices = click.Choice([ALL_ALERTS, *catalogue().alerts])
    return tuple(choices.convert(part, option, context) for part in ids(context, option, values))


def requirement_set(_context: click.Context, _option: click.Parameter, value: str | None) -> str:
    """Return the name of the set, or of the newest one without a value (callback of --set)."""
    from conformance.model.sets import UnknownSet, newest, set_named

    try:
        return newest() if value is None else set_named(value).name
    except UnknownSet as error:
        raise click.BadParameter(str(error)) from None


def labels(_context: click.Context, _option: click.Parameter, values: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Split the labels (callback of --label)."""
    return tuple(split_labels(values).items())


def split_labels(values: Sequence[str]) -> dict[str, str]:
    """Split each label at its first equals sign."""
    labels = {}
    for value in values:
        key, equals, text = (part.strip() for part in value.partition("="))
        if not key or not equals:
            raise click.BadParameter(f"{value!r} is no label. Expected KEY=VALUE, such as case=4711.")
        if key in labels:
            raise click.BadParameter(f"the label {key!r} is given twice.")
        labels[key] = text
    return labels


def headers(context: click.Context, option: click.Parameter, values: Sequence[Any]) -> tuple[tuple[str, str], ...]:
    """Return names and values of header fields (callback of --header); @FILE has a line for each. No message shows one.

    Lines of a file that are empty or begin with # say nothing.
    """
    from conformance.model.errors import ConfigurationFault
    from conformance.model.option_values import checked_header

    found: dict[str, tuple[str, str]] = {}
    for value in values:
        place, lines = "", [value]
        if value.startswith("@"):
            place, lines = f"{value[1:]}, line ", _lines_of(value[1:])
        elif _is_typed(context, option):
            click.echo("Warning: --header is visible in the process list; --header @FILE is not.", err=True)
        for number, line in enumerate(lines, 1):
            if place and (not line.strip() or line.startswith("#")):
                continue
            where = f"{place}{number}: " if place else ""
            try:
                name, text = checked_header(line)
            except ConfigurationFault as fault:
                raise click.BadParameter(f"{where}{fault}") from None
            if name.lower() in found:
                raise click.BadParameter(f"{where}{name} is given twice. Remove one of them.")
            found[name.lower()] = name, text
    return tuple(found.values())


def shown_proxy(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """Return the proxy; warn of a password on the command line (callback of --proxy)."""
    if value is not None and value.password and _is_typed(context, option):
        click.echo("Warning: the password of --proxy is visible in the process list; HTTPS_PROXY is not.", err=True)
    return value


def _is_typed(context: click.Context, option: click.Parameter) -> bool:
    """Whether an option stands on the command line; the plugin of pytest passes the keys of its file as one."""
    source = context.get_parameter_source(option.name or "")
    return source is ParameterSource.COMMANDLINE and context.info_name != "pytest"


def _lines_of(path: str) -> list[str]:
    try:
        return Path(path).read_bytes().decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise click.BadParameter(f"{path} cannot be read: {reason}. Name a file with a line NAME: VALUE.") from None


HELP_BASE: Final = (
    "Address of the documentation site: reports and SARIF link to the page of each requirement there.  "
    "[default: the packaged copy, printed by `explain ID`]"
)


def site_address(_context: object, _option: object, value: str | None) -> str | None:
    """Return the address of a site without a slash at its end (callback of --help-base)."""
    if value is not None and not re.fullmatch(r"https?://[^\s\"'<>`\\@?#]+", value):
        raise click.BadParameter(
            f"expected the address of a site, such as https://docs.example/latest, received {value!r:.200}."
        )
    return value.rstrip("/") if value else None


def application_name(text: str) -> str:
    """Return the name of an application as it is; raise ConfigurationFault for a text that is no name."""
    from conformance.application.loading import Name

    Name.parse(text)
    return text


def refuse_two(options: Mapping[str, object]) -> None:
    """Raise UsageError if more than one of the options is given, which is None otherwise."""
    given = [name for name, value in options.items() if value is not None]
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} exclude each other.")
