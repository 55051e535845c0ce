"""pytest-html's log: requirement ids and exchanges in it, and nothing of the target alive."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Command
from cli.services import served
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

HOSTILE = "</td></script><img src=x onerror=alert(1)><a href='javascript:alert(2)'>x</a>\x1b[31m\u202e"


class Hostile(Service):
    """Sends markup and control characters wherever it can."""

    def settings(self, call: Call) -> Any:
        return {
            **super().settings(call),
            "organisationName": HOSTILE,
            "oAuthUrl": HOSTILE,
            "supportedLanaguages": HOSTILE,
        }

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        reply.headers["x-banner"] = "<img src=x onerror=alert(3)>"
        return reply


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        self.found |= {name for name, _ in attrs}


def rows(page: str) -> dict[str, list[dict[str, Any]]]:
    blob = re.search(r'data-jsonblob="([^"]*)"', page)
    assert blob
    tests: dict[str, list[dict[str, Any]]] = json.loads(html.unescape(blob[1]))["tests"]
    return tests


@pytest.fixture
def page(command: Command, folder: Path, tokens: None) -> str:  # noqa: ARG001
    with served(Hostile) as service:
        result = command(
            "check", service.base_url, "--select", "2.3,4.3", "--output", "out", "--html-log", "logs/of/checks.html"
        )
    assert result.code == 1, result.err
    assert "log      logs/of/checks.html" in result.out
    return (folder / "logs" / "of" / "checks.html").read_text("utf-8")


def test_the_log_names_requirements_and_shows_exchanges(page: str) -> None:
    tests = rows(page)
    cells = [cell for runs in tests.values() for run in runs for cell in run["resultsTableRow"]]
    logs = "\n".join(run["log"] for runs in tests.values() for run in runs)

    assert '<td class="col-requirement">4.3-answers-ok</td>' in cells
    assert "DELETE http://127.0.0.1:" in logs
    assert "authorization: Bearer [DRSI_TOKEN]" in logs.replace("Authorization", "authorization")
    assert "200 OK" in logs
    assert "checks/test_" not in logs


def test_nothing_of_the_target_is_alive_in_the_log(page: str) -> None:
    assert "\x1b" not in page
    assert "\u202e" not in page
    for runs in rows(page).values():
        for run in runs:
            tags = _Tags()
            tags.feed("".join(run["resultsTableRow"]) + run["log"])
            assert tags.found <= {"td", "class", "span", "style"}
    assert "<img src=x" not in page


def test_the_log_says_what_was_checked_and_nothing_of_the_machine(page: str) -> None:
    blob = re.search(r'data-jsonblob="([^"]*)"', page)
    assert blob
    assert set(json.loads(html.unescape(blob[1]))["environment"]) == {"Target", "Suite", "Seed"}
