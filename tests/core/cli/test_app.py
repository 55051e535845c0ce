"""`check --app`: the suite serves the application that it checks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli_services import Command, report_of

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
MISTAKE = {
    "flask": ("    return jsonify(SETTINGS)\n", '    return jsonify(SETTINGS | {"secret": request.args["none"]})\n'),
    "fastapi": ("    return Settings()\n", '    return Settings(**{"maxNumberOfRequests": requests["none"]})\n'),
}
NAMES = {"flask": "service:app", "fastapi": "service:app/api"}


@pytest.fixture(autouse=True)
def _tokens(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:  # noqa: ARG001
    monkeypatch.setenv("DRSI_TOKEN", "token-of-alice")
    monkeypatch.setenv("DRSI_OTHER_TOKEN", "token-of-bob")


def mistaken(framework: str, folder: Path) -> None:
    """Put a service into the folder whose GET /settings raises an exception."""
    right, wrong = MISTAKE[framework]
    source = (EXAMPLES / framework / "service.py").read_text("utf-8")
    assert right in source
    (folder / "service.py").write_text(source.replace(right, wrong).replace('args["none"]', "path[99]"), "utf-8")


@pytest.mark.parametrize("framework", NAMES)
def test_exceptions_of_the_service_stand_beside_the_finding(command: Command, folder: Path, framework: str) -> None:
    mistaken(framework, folder)
    result = command("check", "--app", NAMES[framework], "--only", "4.4-answers-200", "--output", "out")

    assert result.code == 1
    assert "server   " in result.out
    error = {"flask": "IndexError: string index out of range", "fastapi": "KeyError: 'none'"}[framework]
    (row,) = [row for row in report_of(folder / "out")["requirements"] if row["id"] == "4.4-answers-200"]
    finding = row["findings"][0]
    assert finding["server"].startswith(f"{error} (File ")
    assert finding["server"].endswith("in settings)")
    entries = json.loads((folder / "out" / "evidence.har").read_text("utf-8"))["log"]["entries"]
    (shown,) = [entry for entry in entries if entry["_id"] == finding["exchanges"][0]]
    assert error in shown["_raised"]
    page = (folder / "out" / "report.html").read_text("utf-8")
    assert "Raised by the code of the service" in page
    assert command("verify", "out").code == 0


def test_the_scripts_of_an_application_run_on_the_one_that_the_user_names(command: Command, folder: Path) -> None:
    mistaken("flask", folder)
    command("check", "--app", "service:app", "--only", "4.4-answers-200", "--output", "out")
    line = "drsi-conformance check --app service:app --only 4.4-answers-200"
    assert line in (folder / "out" / "report.html").read_text("utf-8")

    alone = command("reproduce", "out", "--all")
    assert (alone.code, alone.out) == (2, "")
    assert "--app MODULE:APP" in alone.err
    again = command("reproduce", "out", "--all", "--app", "service:app")
    assert (again.code, again.out.splitlines()[-1]) == (1, "1 finding STILL FAILS")


GUARDED = """
from service import app as inner
from starlette.middleware.httpsredirect import HTTPSRedirectMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

named = TrustedHostMiddleware(inner, allowed_hosts=["service.example"])
secure = HTTPSRedirectMiddleware(inner)
"""


@pytest.mark.parametrize(
    ("name", "host", "words"),
    [
        ("named", (), ("400 (Invalid host header)", "TrustedHostMiddleware", "--app-host NAME")),
        ("named", ("--app-host", "other.example"), ("the name other.example", "--app-host NAME")),
        ("secure", (), ("plain http is served there", "HTTPSRedirectMiddleware")),
    ],
)
def test_an_application_that_refuses_its_address_is_not_failed(
    command: Command, folder: Path, name: str, host: tuple[str, ...], words: tuple[str, ...]
) -> None:
    shutil.copy(EXAMPLES / "fastapi" / "service.py", folder)
    (folder / "guarded.py").write_text(GUARDED, "utf-8")
    result = command("check", "--app", f"guarded:{name}/api", *host)

    assert result.code == 3, result.out
    for word in ("cause  configuration", *words):
        assert word in result.err


def test_an_application_is_reached_by_the_name_that_it_accepts(command: Command, folder: Path) -> None:
    shutil.copy(EXAMPLES / "fastapi" / "service.py", folder)
    (folder / "guarded.py").write_text(GUARDED, "utf-8")
    host = ("--app-host", "service.example")
    result = command("check", "--app", "guarded:named/api", *host, "--only", "4.4,4.3-answers-ok", "--output", "out")

    assert result.code == 0, result.out
    assert report_of(folder / "out")["run"]["options"]["app-host"] == "service.example"
    assert command("verify", "out").code == 0


def test_an_application_that_cannot_be_served_says_why(command: Command) -> None:
    result = command("check", "--app", "nowhere:app")
    assert (result.code, "No module named 'nowhere'" in result.err) == (2, True)
