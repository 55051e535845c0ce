"""`check --app`: the suite serves the application that it checks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli_services import Command, report_of

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


@pytest.fixture(autouse=True)
def _tokens(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:  # noqa: ARG001
    monkeypatch.setenv("DRSI_TOKEN", "token-of-alice")
    monkeypatch.setenv("DRSI_OTHER_TOKEN", "token-of-bob")


def test_exceptions_of_the_service_stand_beside_the_finding_and_scripts_run_on_the_application_that_is_named(
    command: Command, folder: Path
) -> None:
    source = (EXAMPLES / "fastapi" / "service.py").read_text("utf-8")
    right, wrong = "    return Settings()\n", '    return Settings(**{"maxNumberOfRequests": requests["none"]})\n'
    assert right in source
    (folder / "service.py").write_text(source.replace(right, wrong), "utf-8")
    result = command("check", "--app", "service:app/api", "--only", "4.4-answers-200", "--output", "out")

    assert result.code == 1
    assert "server   " in result.out
    (row,) = [row for row in report_of(folder / "out")["requirements"] if row["id"] == "4.4-answers-200"]
    finding = row["findings"][0]
    assert finding["server"].startswith("KeyError: 'none' (File ")
    assert finding["server"].endswith("in settings)")
    entries = json.loads((folder / "out" / "evidence.har").read_text("utf-8"))["log"]["entries"]
    (shown,) = [entry for entry in entries if entry["_id"] == finding["exchanges"][0]]
    assert "KeyError: 'none'" in shown["_raised"]
    page = (folder / "out" / "report.html").read_text("utf-8")
    assert "Raised by the code of the service" in page
    assert "drsi-conformance check --app service:app/api --only 4.4-answers-200" in page
    assert command("verify", "out").code == 0

    alone = command("reproduce", "out", "--all")
    assert (alone.code, alone.out) == (2, "")
    assert "--app MODULE:APP" in alone.err
    again = command("reproduce", "out", "--all", "--app", "service:app/api")
    assert (again.code, again.out.splitlines()[-1]) == (1, "1 finding STILL FAILS")


GUARDED = """
from service import app as inner
from starlette.middleware.httpsredirect import HTTPSRedirectMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

named = TrustedHostMiddleware(inner, allowed_hosts=["service.example"])
secure = HTTPSRedirectMiddleware(inner)
"""


def test_an_application_that_refuses_its_address_is_not_failed_and_can_have_another_name(
    command: Command, folder: Path
) -> None:
    shutil.copy(EXAMPLES / "fastapi" / "service.py", folder)
    (folder / "guarded.py").write_text(GUARDED, "utf-8")
    for name, words in (
        ("named", ("400 (Invalid host header)", "TrustedHostMiddleware", "--app-host NAME")),
        ("secure", ("plain http is served there", "HTTPSRedirectMiddleware")),
    ):
        result = command("check", "--app", f"guarded:{name}/api")
        assert result.code == 3, result.out
        assert [each for each in ("cause  configuration", *words) if each not in result.err] == []

    host = ("--app-host", "service.example")
    result = command("check", "--app", "guarded:named/api", *host, "--only", "4.4", "--output", "out")
    assert result.code == 0, result.out
    assert report_of(folder / "out")["run"]["options"]["app-host"] == "service.example"

    result = command("check", "--app", "nowhere:app")
    assert (result.code, "No module named 'nowhere'" in result.err) == (2, True)
