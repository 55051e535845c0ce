"""What would decide a requirement: each option that such a text names does decide it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import pytest
from whole_runs import USERS, config, only, row_of, run_over

from conformance.calibration.faults import FAULTS
from conformance.cli import command_group
from conformance.judge.decided_by import BY_REASON
from conformance.judge.verdicts import LEFT_OUT, NOT_REACHED
from conformance.model.requirements import catalogue
from conformance.model.target import Budget, LanguageSelector
from conformance.model.verdict import Verdict
from conformance.run.documents import Documents

DECIDED = (Verdict.PASS, Verdict.FAIL)
OPTION = re.compile(r"--[a-z][a-z-]+")


EMPTY = {"account_is_empty": True}
LIMIT = "8-accepts-up-to-limit"

# The requirement, the service, what a run has that leaves it undecided, and what one has that decides it.
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "--await-completion": (
        "3-deletes-completed",
        {"settings": config(users=USERS[:1], complete_after=1.0)},
        {},
        {"budget": Budget(await_completion=3.0)},
    ),
    "--language-selector": (
        "4.5-supported-languages",
        {"settings": config(language_selector="query:taal")},
        {},
        {"language_selector": LanguageSelector("query", "taal")},
    ),
    "--empty-account": (LIMIT, {"bend": FAULTS["one-short-of-the-limit"]}, {}, EMPTY),
    "--max-requests": (LIMIT, {}, {"budget": Budget(max_requests=12), **EMPTY}, EMPTY),
    "--deselect": ("4.3-answers-ok", {}, {"plan": only("4.4-object")}, {}),
}


@pytest.mark.parametrize("option", CASES)
def test_an_option_that_would_decide_a_requirement_does(option: str) -> None:
    row, service, *given = CASES[option]

    before, after = (
        row_of(Documents(run_over(**{"plan": only(row), "in_turn": False, **service, **each})).shown, row)
        for each in given
    )

    assert before.verdict not in DECIDED
    assert option in OPTION.findall(before.decided_by)
    assert after.verdict in DECIDED


def test_every_other_option_that_a_circumstance_names_is_known() -> None:
    texts = [*catalogue().decided_by.values(), BY_REASON[LEFT_OUT], BY_REASON[NOT_REACHED]]

    named = {option for text in texts for option in OPTION.findall(text)}

    in_tests_of_their_own = {"--leave", "--resume"}  # two runs
    assert named - CASES.keys() == {"--complete-command", "--max-time", "--profile", "--select", *in_tests_of_their_own}


ROOMS = ("http", "judge", "model", "run", "scenarios")
"""The folders whose texts a report of a run shows."""

OF_CURL = {"--cacert", "--cert", "--compressed", "--data-binary"}


def options_of(command: click.Command) -> Iterator[str]:
    """Yield the options of a command and of the commands below it."""
    yield from (name for each in command.params for name in (*each.opts, *each.secondary_opts))
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        yield from options_of(inner)


def remedies() -> Iterator[str]:
    """Yield the texts of the catalogue and of the code that can be a remedy, or a part of one."""
    yield from (row.remedy for row in catalogue().rows.values())
    yield from catalogue().decided_by.values()
    for path in (each for room in ROOMS for each in Path(str(files("conformance") / room)).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                yield node.value


def test_an_option_that_a_remedy_names_exists() -> None:
    named = {option for text in remedies() for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)}

    assert named >= {"--max-created", "--max-time", "--token-command"}
    assert named - {*options_of(command_group())} == OF_CURL
