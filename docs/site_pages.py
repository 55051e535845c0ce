"""The pages of the documentation site that are made when it is built; MkDocs calls these functions.

`mkdocs.yml` names this file. README, CHANGELOG, ARCHITECTURE and CONTRIBUTING become pages as they are, with their
links set to the site; the requirements, the commands and report.json are described from what the suite itself reads.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import stand_in
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from conformance import NAME
from conformance.cli import command_group, requirement_page
from conformance.cli.requirements import proofs_of_requirements
from conformance.model.requirements import catalogue
from conformance.reports.annotated import render_proof

ROOT: Final = Path(__file__).parents[1]
_OF_THE_PROJECT: Final = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
}
"""The pages of files outside of docs/, by the name of the file."""
_SHOWN_BY: Final = _OF_THE_PROJECT | {"conformance/model/requirements.toml": "requirements/index.md"}
"""The pages that a link to a file leads to."""
_LINK: Final = re.compile(r"(\]\()(?![a-z]+:)([^)#\s]+)")
_ID: Final = re.compile(r"(?<![\[`])`(\d[\w.-]+)`(?![\]`])")
"""A code span that may be the id of a requirement."""
_BY_SENTENCE: Final = """## By sentence

[What belongs to each sentence](specification.html): the requirements that rest on it, their checks, and the faulty and
conforming services of the self-test. The words are replaced by numbers, because the suite contains no copy of the
specification; `drsi-conformance requirements --specification FILE --output PAGE.html` shows your copy.
"""
_INTRODUCTION: Final = """# Commands

Every command with its options, as `--help` prints them. [Options](../options.md) says more about those of `check`.
"""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Let the reader choose among releases where mike deploys one; elsewhere there is no list of them to read."""
    if "MIKE_DOCS_VERSION" in os.environ:
        config.extra["version"] = {"provider": "mike"}
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are no files in docs/."""
    for name, text in _generated():
        files.append(File.generated(config, name, content=text))
    return files


def _generated() -> Iterator[tuple[str, str]]:
    for source, name in _OF_THE_PROJECT.items():
        yield name, (ROOT / source).read_text("utf-8")
    yield "requirements/index.md", f"{requirement_page.index()}\n{_BY_SENTENCE}"
    yield "requirements/specification.html", render_proof(stand_in.specification(), *proofs_of_requirements())
    for row in catalogue().rows.values():
        yield f"requirements/{row.id}.md", requirement_page.markdown(row)
    yield "reference/commands.md", _commands()
    yield "reference/report.md", _schema()


def _commands() -> str:
    """Return the page on all commands, in which mkdocs-click replaces a block for each."""
    blocks = [
        f"::: mkdocs-click\n    :module: {command.callback.__module__}\n    :command: {variable}\n"
        f"    :prog_name: {NAME} {name}\n    :depth: 1\n    :style: plain\n"
        for name, command in command_group().commands.items()
        if command.callback
        for variable, value in vars(sys.modules[command.callback.__module__]).items()
        if value is command
    ]
    return "\n".join([_INTRODUCTION, *blocks])


def on_page_markdown(markdown: str, page: Page, files: Files, **_: object) -> str:
    """Set the links of a page: to the page of a file that has one, else to the file in the repository.

    An id of a requirement becomes a link to its page.
    """
    here = page.file.src_uri
    source = next((source for source, name in _OF_THE_PROJECT.items() if name == here), f"docs/{here}")

    def moved(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[2]))
        inside = _SHOWN_BY.get(path, path.removeprefix("docs/"))
        if files.get_file_from_path(inside):
            return link[1] + posixpath.relpath(inside, posixpath.dirname(here) or ".")
        if (ROOT / path).exists():
            return f"{link[1]}{_repository()}/{'tree' if (ROOT / path).is_dir() else 'blob'}/main/{path}"
        return link[0]  # MkDocs says what is wrong with it

    markdown = _LINK.sub(moved, markdown)
    if here.startswith("requirements/"):
        return markdown
    to_pages = posixpath.relpath("requirements", posixpath.dirname(here) or ".")
    return _ID.sub(lambda id: f"[{id[0]}]({to_pages}/{id[1]}.md)" if id[1] in catalogue().rows else id[0], markdown)


def _repository() -> str:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["urls"]["Homepage"])


def _schema() -> str:
    """Return the page on report.json, from its JSON Schema."""
    schema = json.loads((ROOT / "schemas/report.schema.json").read_text("utf-8"))
    parts = [
        f"# report.json\n\n{schema['description']} "
        "The schema is [report.schema.json](../../schemas/report.schema.json); "
        "it also states which members exclude each other.",
        _members(schema),
    ]
    for name, definition in schema["$defs"].items():
        if definition.keys() & {"type", "enum", "$ref", "anyOf"}:  # others are conditions
            parts.append(f"## {name}\n\n{definition.get('description', '')}".strip())
            parts.append(_members(definition) if "properties" in definition else f"Type: {_type(definition)}.")
    return "\n\n".join(parts)


def _members(definition: dict[str, Any]) -> str:
    lines = ["| member | type | meaning |", "|---|---|---|"]
    lines += [f"| {name} | {kind} | {meaning} |" for name, kind, meaning in _rows(definition)]
    return "\n".join(lines)


def _rows(definition: dict[str, Any], before: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the members of an object and of the objects inside of it: the name, the type, and the description."""
    for name, member in definition.get("properties", {}).items():
        optional = "" if name in definition.get("required", ()) else ", optional"
        yield f"`{before}{name}`", f"{_type(member)}{optional}", member.get("description", "").replace("|", "\\|")
        yield from _rows(member, f"{before}{name}.")
        yield from _rows(member.get("items", {}), f"{before}{name}[].")


def _type(member: dict[str, Any]) -> str:
    match member:
        case {"$ref": reference}:
            name = str(reference).rpartition("/")[2]
            return f"[{name}](#{name})"
        case {"anyOf": options} | {"oneOf": options}:
            return " or ".join(dict.fromkeys(map(_type, options)))
        case {"const": value}:
            return f"`{json.dumps(value)}`"
        case {"enum": values}:
            return ", ".join(f"`{value}`" for value in values)
        case {"type": "array", "items": items}:
            return f"array of {_type(items)}"
        case {"type": str(name)}:
            return str(member.get("format", name))
        case {"type": names}:
            return " or ".join(names)
    return "see the schema"
