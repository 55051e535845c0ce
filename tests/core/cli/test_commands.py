"""The commands beside check, and the command as a whole, also without the packages of its extras."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from cli_services import Command, Result, Started, names_in
from platforms import POSIX_SIGNALS

from conformance import __version__
from conformance.calibration.combinations import find_variant
from conformance.calibration.faults import FAULTS
from conformance.calibration.variant import Kind
from conformance.cli import command_group
from conformance.model.build import build
from conformance.model.requirements import catalogue
from conformance.reference.config import ReferenceConfig
from conformance.reference.server import Ready
from conformance.reference.service import Service
from conformance.reports import files, language

MODULE = (sys.executable, "-m", "conformance")
COMMANDS = tuple(command_group().commands)
HEAVY = ("sqlalchemy", "httpx", "rich", "pytest", "jsonschema", "jinja2", "uvicorn", "starlette", "h11", "cryptography")
FAULT = "settings-terms-of-service-absent"


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom conformance.cli import main\n"
        "try:\n    main(['--help'])\nfinally:\n    print('LOADED', *sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    text, _, loaded = done.stdout.partition("LOADED")
    assert all(f"  {name} " in text for name in COMMANDS)
    assert "..." not in text.partition("Commands:")[2]
    assert set(HEAVY).isdisjoint(loaded.split())


def test_each_command_has_help_and_the_suite_a_version(command: Command) -> None:
    for name in COMMANDS:
        result = command(name, "--help")
        assert (result.code, f"drsi-conformance {name}" in result.out) == (0, True)
    assert command("--version").out == f"drsi-conformance {__version__}\nbuild {build()}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_an_error() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run([*MODULE, "openapi"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "Error: the output cannot be written: No space left on device.\n"


# ------------------------------------------------------------------ requirements, explain, openapi


def test_requirements_are_listed_as_text_and_as_json(command: Command) -> None:
    lines = command("requirements").out.splitlines()
    assert [line.split()[:3] for line in lines] == [[r.id, r.level, r.basis] for r in catalogue().rows.values()]

    rows = json.loads(command("requirements", "--clause", "4.3", "--json").out)
    assert {row["clause"] for row in rows} == {"4.3"}
    assert {"id", "level", "statement", "reading", "remedy", "untestable"} <= set(rows[0])
    assert {"basis", "places", "reason", "rejected", "since", "former"} <= set(rows[0])


def test_explain_a_requirement_and_a_clause(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--bogus")
    words = " ".join(command("explain", "4.3-answers-ok").out.split())
    row = catalogue()["4.3-answers-ok"]
    parts = (
        "level: must",
        "DELETE /requests/{requestId} of an existing request MUST answer 200",
        row.reading,
        row.remedy,
        "test_row[4.3-answers-ok]",
        "in 1.2",
        "A good exchange",
    )
    assert [part for part in (*parts, "• stores-nothing: ") if part not in words] == []
    assert " alert: " not in words
    clause = " ".join(command("explain", "1.2").out.split())
    assert clause.startswith("Clause 1.2 restates these requirements: ")
    assert "4.3-answers-ok" in clause


def test_openapi(command: Command, folder: Path) -> None:
    printed = command("openapi").out
    assert json.loads(printed)["openapi"].startswith("3.1")
    assert command("openapi", "--output", "api.json").out == ""
    assert (folder / "api.json").read_text("utf-8") == printed


# ------------------------------------------------------------------ serve


@POSIX_SIGNALS
def test_serve_prints_its_address_and_ends_cleanly(folder: Path) -> None:
    options = ("--json", "--limit", "7", "--path-prefix", "/x", "--languages", "fr,it")
    with Started(folder, "serve", *options) as service:
        service.awaits("base_url", "out")
        ready = json.loads(service.out)
        assert ready["base_url"].endswith("/x")
        settings = httpx.get(ready["base_url"] + "/settings", trust_env=False).json()
        assert settings["maxNumberOfRequests"] == 7
        assert settings["supportedLanaguages"] == ["fr", "it"]
        token = {"Authorization": f"Bearer {ready['tokens'][0]}"}
        assert httpx.post(ready["base_url"] + "/requests", headers=token, trust_env=False).status_code == 200
        service.process.send_signal(2)
        assert service.ended() == 0
        assert service.err == ""


@pytest.mark.parametrize(("kind", "name"), [("fault", FAULT), ("twin", "served-at-the-root")])
def test_a_variant_is_listed_served_and_described(
    command: Command, monkeypatch: pytest.MonkeyPatch, kind: str, name: str
) -> None:
    served = []

    def serve(_: object, service: type[Service], *, on_ready: Callable[[Ready], None], **__: object) -> None:
        served.append(service)
        on_ready(Ready("http://127.0.0.1:1/x", ("first",)))

    monkeypatch.setattr("conformance.reference.server.serve", serve)
    text, variant = command("serve", f"--{kind}", name).out, find_variant(name)

    assert served == [variant.service]
    assert variant.summary in text
    assert variant.kind is not Kind.FAULT or FAULTS[name].requirement in text
    assert re.findall(r"^  (\S+): ", command("serve", f"--list-{kind}s", name.upper()).out, re.MULTILINE) == [name]


def test_a_service_like_a_recorded_one_is_served_unless_it_was_altered(
    command: Command, monkeypatch: pytest.MonkeyPatch, run: Path
) -> None:
    limits = []

    def serve(config: ReferenceConfig, *_: object, on_ready: Callable[[Ready], None], **__: object) -> None:
        limits.append(config.max_requests)
        on_ready(Ready("http://127.0.0.1:1/x;id", ("first",)))

    monkeypatch.setattr("conformance.reference.server.serve", serve)
    text = command("serve", "--like", "run").out
    command("serve", "--like", "run", "--limit", "9")
    assert limits == [3, 9]
    assert "drsi-conformance check 'http://127.0.0.1:1/x;id'\n" in text

    evidence = (run / "evidence.har").read_text("utf-8")
    (run / "evidence.har").write_text(evidence.replace("Example Retail", "Another Retail"), "utf-8")
    refused = command("serve", "--like", "run")
    assert (refused.code, refused.out) == (2, "")
    assert "run cannot be copied: it was altered" in refused.err


# ------------------------------------------------------------------ extras


WITHOUT = """
import sys
names = "cryptography rfc3161_client securesystemslib authlib keyring sqlalchemy distributed babel"
sys.modules |= dict.fromkeys(names.split())
from importlib import metadata
version = metadata.version
def without(name):
    if name == "babel":
        raise metadata.PackageNotFoundError(name)
    return version(name)
metadata.version = without
from conformance.cli import main
"""
ONE_AFTER_ANOTHER = """
import io, json
from contextlib import redirect_stderr, redirect_stdout
for arguments in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as ended:
            code = ended.code
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""


def called(*commands: tuple[str, ...]) -> list[Result]:
    """Run commands, one after another, in a process that has none of the packages."""
    words = [sys.executable, "-c", WITHOUT + ONE_AFTER_ANOTHER, json.dumps(commands)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    results = [Result(*json.loads(line)) for line in done.stdout.splitlines()]
    assert [each.err for each in results if "Traceback" in each.err] == []
    return results


def test_a_run_is_packed_verified_and_answered_without_the_extra(run: Path) -> None:
    translated = shutil.copytree(run, run.parent / "translated")
    report = json.loads((run / "report.json").read_bytes())
    files.write_views(translated, report, files.evidence_in(run / "evidence.har"), ["summary.nl"])
    reply = ("reply", "--requirement", "4.3-answers-ok", "--statement", "A proxy answered.", "--by", "Example Ltd")
    commands = ((*reply, str(run)), ("verify", str(run)), ("bundle", str(run)), ("verify", f"{run}.drsi.zip"))

    *results, compared, answered = called(*commands, ("verify", "translated"), (*reply, "translated"))

    assert [(each.code, each.err) for each in results] == [(0, "")] * 4
    assert "no signature; no time stamp" in results[3].out
    # A translation that cannot be compared is no forgery, and none is left as it is beside an answer.
    assert compared.code == 3
    reason = f"not compared, because Babel {language.babel()} made a part of it, and here is none"
    assert reason in compared.out
    assert answered.code == 2
    assert "pip install 'drsi-conformance[languages]'" in answered.err
    assert "A reply" not in (translated / "summary.nl.html").read_text("utf-8")


INSTALLS = {
    ("bundle", "run", "--sign", "auditor.pem"): "evidence",
    ("bundle", "run", "--timestamp", "http://127.0.0.1:9"): "evidence",
    ("verify", "run", "--attest", "auditor.pem"): "evidence",
    ("login", "https://service.example"): "login",
    ("store", "add", "audits.sqlite", "run"): "audit",
    ("audit", "targets.csv", "--dask", "tcp://127.0.0.1:9"): "audit",
    ("render", "run", "--language", "nl"): "languages",
}
"""The extra that each command needs."""


@pytest.mark.usefixtures("run")
def test_what_needs_an_extra_says_how_to_install_it(folder: Path) -> None:
    (folder / "auditor.pem").touch()
    (folder / "targets.csv").write_text("name,base_url,profile\na,https://a.example,public\n", "utf-8")
    there = names_in(folder)

    results = called(*INSTALLS)

    for extra, result in zip(INSTALLS.values(), results, strict=True):
        assert (result.code, f"pip install 'drsi-conformance[{extra}]'" in result.err) == (2, True), result.err
    assert names_in(folder) - {"audits"} == there  # the folder of audits is made first, for its lock
