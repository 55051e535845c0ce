"""README, ARCHITECTURE, CONTRIBUTING and docs: figures, options and links agree with the project."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from conformance import pytest_plugin
from conformance.calibration import publish
from conformance.cli.check import command

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = sorted(
    page for folder in (".", "docs", "docs/guides", "benchmarks", "fixtures") for page in (ROOT / folder).glob("*.md")
)

RECIPES = ("CONTRIBUTING.md", "docs/maintenance.md", "docs/traces.md")
LONGEST = {"README.md": 150, "CONTRIBUTING.md": 150, "CHANGELOG.md": 150}


def test_the_readme_states_the_published_score() -> None:
    score = json.loads(publish.PUBLISHED.read_text("utf-8"))["score"]

    assert publish.rewritten(README, score) == README, "run python -m conformance.calibration.publish"


@pytest.mark.parametrize("page", LONGEST)
def test_what_a_newcomer_reads_is_short(page: str) -> None:
    assert len((ROOT / page).read_text("utf-8").splitlines()) <= LONGEST[page]


def test_the_register_of_disputes_has_each_former_reading() -> None:
    history = tomllib.loads((ROOT / "conformance/model/history.toml").read_text("utf-8"))
    rows = re.findall(
        r"^\| (\d{4}-\d{2}-\d{2}) \| (.*?) \|", (ROOT / "docs/disputes.md").read_text("utf-8"), re.MULTILINE
    )
    listed = {(requirement, date) for date, ids in rows for requirement in re.findall(r"`(.*?)`", ids)}
    assert listed == {(each["id"], each["until"]) for each in history["former"]}


def test_every_option_of_check_is_documented_and_no_other() -> None:
    rows = re.findall(r"^\| (`--.*?) \|", (ROOT / "docs/options.md").read_text("utf-8"), re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"--[a-z-]+", row)}

    assert documented == {name for option in command.params for name in option.opts if name.startswith("--")}


def test_every_option_of_the_plugin_is_documented_and_no_other() -> None:
    rows = re.findall(r"^\| (`--drsi-.*?) \|", (ROOT / "docs/pytest.md").read_text("utf-8"), re.MULTILINE)
    parser = pytest.Parser(_ispytest=True)
    pytest_plugin.pytest_addoption(parser)

    options = {name for option in parser.getgroup("drsi").options for name in option.names()}
    assert {name for row in rows for name in re.findall(r"--[a-z-]+", row)} == options


def test_links_lead_to_files_of_the_project() -> None:
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))]

    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []


def test_named_files_exist() -> None:
    architecture, *recipes = ((ROOT / name).read_text("utf-8") for name in ("ARCHITECTURE.md", *RECIPES))
    modules = [
        f"conformance/{folder}/{module}"
        for folder, row in re.findall(r"^\| `([a-z]+)/` \|(.*)", architecture, re.MULTILINE)
        for module in re.findall(r"`([a-z0-9_]+\.(?:py|toml|json))`", row)
    ]
    paths = re.findall(r"`((?:[a-z_]+/)+[a-z0-9_]*(?:\.[a-z]+)?)`", architecture + "".join(recipes))

    assert len(modules) > 20
    missing = [
        path for path in [*modules, *paths] if not any((ROOT / top / path).exists() for top in (".", "conformance"))
    ]
    assert not missing, "\n".join(missing)
