"""The extras: without their packages all else works, and the command says what is missing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_services import Result, names_in

from conformance.reports import files, language

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
    reason = f"not compared, because Babel {language.babel()} made its dates and numbers, and here is none"
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
