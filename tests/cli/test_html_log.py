"""pytest-html's log: requirement ids and exchanges in it, and nothing of the target alive."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from cli_services import Command, served

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


@pytest.mark.usefixtures("tokens")
def test_the_log_names_requirements_and_exchanges_and_nothing_of_the_service_is_alive(
    command: Command, folder: Path
) -> None:
    with served(Hostile) as service:
        options = ("--output", "out", "--html-log", "logs/of/checks.html")
        result = command("check", service.base_url, *options, only=("2.3", "4.3"))
    assert result.code == 1, result.err
    assert "logs/of/checks.html" in result.out
    page = (folder / "logs" / "of" / "checks.html").read_text("utf-8")
    blob = re.search(r'data-jsonblob="([^"]*)"', page)
    assert blob
    data: Any = json.loads(html.unescape(blob[1]))
    assert "in the suite&#x27;s words: DELETE /requests/{requestId} of an existing request MUST" in json.dumps(data)
    runs = [run for runs in data["tests"].values() for run in runs]
    logs = "\n".join(run["log"] for run in runs)

    assert set(data["environment"]) == {"Target", "Suite", "Specification", "Seed"}
    assert '<td class="col-requirement">4.3-answers-ok</td>' in [
        cell for run in runs for cell in run["resultsTableRow"]
    ]
    assert "DELETE http://127.0.0.1:" in logs
    assert "authorization: bearer [drsi_token]" in logs.lower()
    assert "200 OK" in logs
    assert "checks/test_" not in logs

    assert not {"\x1b", "\u202e"} & set(page)
    assert "<img src=x" not in page
    for run in runs:
        tags = _Tags()
        tags.feed("".join(run["resultsTableRow"]) + run["log"])
        assert tags.found <= {"td", "class", "span", "style"}
