"""`drsi-conformance init`: looks at a service, and writes a configuration file that says what each key decides."""

from __future__ import annotations

import json
import re
from contextlib import closing, suppress
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

import click

from conformance import NAME
from conformance.cli.config import FILE_NAME, keys, read
from conformance.cli.errors import Failure
from conformance.cli.option import with_options
from conformance.cli.options import Options
from conformance.cli.route import OPTIONS as ROUTE
from conformance.cli.target_options import TargetOptions
from conformance.model.printable import one_line, printable

if TYPE_CHECKING:
    from conformance.http.session import Session

_WIDTH: Final = 118

_EXAMPLES: Final = {
    "base_url": "https://service.example/api",
    "set": "2026-1",
    "select": "4.3",
    "deselect": "8",
    "only": "4.3-answers-ok",
    "fail_on": "alerts",
    "language_selector": "header:Accept-Language",
    "complete_command": "./complete {requestId}",
    "header": "X-Environment: staging",
    "format": "junit",
    "label": "case=4711",
    "help_base": "https://docs.example/latest",
    "proxy": "http://proxy.example:3128",
}
"""Values of the texts that have a form, by the names of their options."""

_OF_AN_ARGUMENT: Final = "The address of the service: the paths of the interface are appended to it."

_PIPELINES: Final = {
    "github": ("github-workflow.yml", Path(".github/workflows/conformance.yml")),
    "gitlab": ("gitlab-ci.yml", Path(".gitlab/conformance.yml")),
}
"""By option: the file of docs/ci, and where its copy belongs."""


@dataclass
class Found:
    """What a look at the service found."""

    values: dict[str, str] = field(default_factory=dict)
    """Values of keys, as TOML."""
    about: dict[str, str] = field(default_factory=dict)
    """What was found about a key."""
    facts: list[str] = field(default_factory=list)
    """What is worth knowing before a run."""


@click.command("init", short_help=f"Look at a service, and write a commented {FILE_NAME}.")
@with_options(TargetOptions, "base_url", *ROUTE, "timeout", "debug")
@click.option("--github", is_flag=True, help=f"Also write a workflow of GitHub: {_PIPELINES['github'][1]}.")
@click.option("--gitlab", is_flag=True, help=f"Also write a job of GitLab: {_PIPELINES['gitlab'][1]}.")
def command(*, github: bool, gitlab: bool, **given: Any) -> None:
    """Look at the service at BASE_URL, and write drsi-conformance.toml with what was found and what is still needed.

    The look makes only calls that need no token and change nothing: GET /settings, and GET /data in several languages.
    Without BASE_URL, the file has examples only. A secret is never asked for and never written;
    options such as --header and --ca-file are for the look alone.
    """
    options = Options(profile="public", concurrency=1, **given)
    chosen = [_PIPELINES[name] for name, is_wanted in (("github", github), ("gitlab", gitlab)) if is_wanted]
    for path in (Path(FILE_NAME), *(place for _, place in chosen)):
        if path.exists():
            raise Failure(f"{path} exists, and is not overwritten.", remedy="Remove it, or keep it.")
    found = _look(options, options.base_url) if options.base_url else Found()
    texts = {Path(FILE_NAME): document(found)} | {place: _pipeline(file, options.base_url) for file, place in chosen}
    for path, text in texts.items():
        _write(path, text)
        click.echo(f"Wrote {path}.")
    try:
        read(Path(FILE_NAME)).subject.remember()
    except Failure as failure:
        found.facts.append(f"problem: {failure.message} {failure.remedy}")
    click.echo(
        "\n".join(printable(line) for line in [*found.facts, *_next_steps(options, github=github, gitlab=gitlab)])
    )


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Failure(
            f"{path} cannot be written: {error.strerror or error}.",
            remedy="Run the command in the folder of a project.",
        ) from None


def _look(options: Options, base_url: str) -> Found:
    """Return what the public calls tell; raise Failure if no service answers there."""
    from conformance.cli.errors import explained
    from conformance.model.errors import NotDecided
    from conformance.model.sets import newest
    from conformance.run.check import CannotBegin
    from conformance.run.doctor import Diagnosis, gather, shown
    from conformance.run.doctor_settings import settings
    from conformance.run.preflight import look
    from conformance.scenarios.api import Api
    from conformance.scenarios.languages import language_choice

    found = Found({"base-url": _quoted(base_url), "set": _quoted(newest())})
    found.about["set"] = "Pinned to the newest one: an update of the suite brings a newer set only when you change it."
    with closing(options.session(options.target())) as session, explained(session.secrets.text):
        seen, diagnosis = look(session, needs_token=False), Diagnosis()
        if seen.obstacle is not None:
            raise CannotBegin(seen.obstacle, session)
        gather(diagnosis, session, shown(session, seen))
        gather(diagnosis, session, settings(Api(session), needs_token=False))
        found.facts += [f"{name}: {fact}" for name, fact in diagnosis.facts]
        found.facts += _clocks(session)
        found.facts += [f"problem: {problem.message} {problem.remedy}" for problem in diagnosis.problems]
        client = Api(session)
        with suppress(NotDecided):
            _note_limit(found, options, client.settings_document().get("maxNumberOfRequests"))
        try:
            selector = str(language_choice.result(client).selector)
            found.values["language-selector"] = _quoted(selector)
            found.about["language-selector"] = f"Found: {selector} has an effect."
        except NotDecided as reason:
            found.about["language-selector"] = f"Not found. {reason.message}"
    return found


def _clocks(session: Session) -> list[str]:
    from conformance.judge.moments import clock_difference

    difference = clock_difference(session.record.in_order()[0])
    if difference is None:
        return ["clocks: the service states no Date"]
    seconds = int(abs(difference.total_seconds()))  # a Date is cut to the second
    return [f"clocks: they differ by less than {seconds + 2} s"]


def _quoted(text: str) -> str:
    """Return a text as a string of TOML, of YAML and of JSON."""
    return json.dumps(text, ensure_ascii=False)


def _note_limit(found: Found, options: Options, limit: object) -> None:
    budget = options.target().budget
    needed = budget.creations_for(limit)
    found.about["max-created"] = f"Found: maxNumberOfRequests is {limit!r}, for which {needed} are enough."
    if needed > budget.max_created:
        found.values["max-created"] = str(needed)


def document(found: Found) -> str:
    """Return the configuration file: every key with what it decides, those that were found without a comment sign."""
    lines = [
        f"# {FILE_NAME}: the options of '{NAME} check', which other commands read too.",
        "# A line without # in front counts. The command line takes precedence. The documentation explains each key",
        "# on its page 'Options and configuration file'. Where others may write this file, most keys count only if you",
        f"# name it with --config, as a pipeline does, or after '{NAME} trust', which each change needs again.",
    ]
    lines += [line for fact in found.facts for line in _comment(f"{NAME} init found: {fact}")]
    for key, option in keys().items():
        lines += ["", *_comment(_help(option))]
        lines += _comment(found.about[key]) if key in found.about else []
        value = found.values.get(key)
        lines.append(f"#{key} = {example(option)}" if value is None else f"{key} = {value}")
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    """Return a text as comments. It may quote the service: nothing in it ends a comment."""
    return [f"# {line}" for line in wrap(one_line(text, 1_000), _WIDTH)]


def example(option: click.Parameter) -> str:
    """Return a value of the kind that an option takes, as TOML: for a text, what stands for it in the help."""
    if isinstance(option.type, click.types.BoolParamType):
        return "true"
    if isinstance(option.type, click.types.IntParamType | click.types.FloatParamType):
        return str(max(1, getattr(option.type, "min", None) or 0))
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    text = _EXAMPLES.get(option.name or "") or next(iter(choices), option.metavar or "")
    return f"[{_quoted(text)}]" if option.multiple else _quoted(text)


def _help(option: click.Parameter) -> str:
    """Return what an option decides, and its default."""
    text: str = getattr(option, "help", None) or _OF_AN_ARGUMENT
    default = option.default
    if getattr(option, "show_default", False) and default is not None:
        text += f"  [default: {str(default).lower() if isinstance(default, bool) else default}]"
    return re.sub(r" {2,}", " ", text)


def _pipeline(file: str, base_url: str | None) -> str:
    """Return a file of docs/ci, with the address of the service if there is one."""
    text = (files("conformance.ci_templates") / file).read_text("utf-8")
    if base_url is None:
        return text
    return re.sub(r"(?m)^( *(?:base-url|BASE_URL): ).*$", lambda line: line[1] + _quoted(base_url), text)


def _next_steps(options: Options, *, github: bool, gitlab: bool) -> list[str]:
    address = "" if options.base_url else " BASE_URL"
    steps = [
        "",
        "Next:",
        f"- Two users made for tests: give their tokens with '{NAME} login' and '{NAME} login --user other', or as "
        "DRSI_TOKEN and DRSI_OTHER_TOKEN.",
        "- In the file, confirm with empty-account and account-is-for-testing what is true of them, and then let the "
        f"changed file count: {NAME} trust.",
        f"- {NAME} doctor{address} says whether a run can begin, and {NAME} check{address} makes it.",
    ]
    if github:
        steps.append("- In the workflow, remove 'services' if the service runs elsewhere than beside the job.")
    if github or gitlab:
        steps.append("- In the pipeline, replace the names in capital letters, and store the tokens as secrets.")
    if gitlab:
        steps.append(f"- Add to .gitlab-ci.yml: include: {_PIPELINES['gitlab'][1]}")
    return steps
