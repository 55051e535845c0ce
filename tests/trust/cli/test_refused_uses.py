"""A refused use of the commands that vouch for a run: one message that says what to do, and nothing changed."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from bundles import key, packed, written
from cli_services import Command, is_one_message

WORDS = "--statement 'A proxy answered.' --date 2026-02-01"
ATTEST = f"attest run {WORDS} --name Person --requirement"
REPLY = f"reply run {WORDS} --by Example --requirement"
NONCE = "Expected 1 to 128 visible ASCII characters"
REFUSED = {
    f"{ATTEST} 4.4-object": "Requirements that can be attested: 2.1-isCompleted-value, ",
    f"{ATTEST} 4.3-answers-ok": "'4.3-answers-ok' is not a requirement of this run that",
    "attest run --requirement 3-erases-gathered": "Expected a text for --statement, --name.",
    f"{ATTEST} 3-erases-gathered --document nowhere.pdf": "nowhere.pdf cannot be read: No such file",
    f"{ATTEST} 3-erases-gathered --document 'a\\b'": "has a backslash or a control character",
    f"{REPLY} 4.4-object": "Requirements that can be answered: 4.3-answers-ok.",
    "reply run --requirement 4.3-answers-ok": "Expected a text for --statement, --by.",
    f"{REPLY} 4.3-answers-ok --sign nowhere.pem": "nowhere.pem cannot be read: No such file",
    # ------------------------------------------------------------------ bundles
    "bundle run": "run.drsi.zip exists, and is not overwritten. fix Name another file with --output",
    "bundle run.drsi.zip": "run.drsi.zip is a bundle already",
    "render run.drsi.zip": "Name the folder to write to with --output.",
    "bundle run --output new.zip --sign absent.pem": "absent.pem cannot be read: No such file",
    "bundle run --output absent/a.zip": "Name a place that can be written with --output",
    "bundle run --output new.zip --include-key absent.key": "File 'absent.key' does not exist",
    "bundle run --output new.zip --timestamp ftp://127.0.0.1": "ftp://127.0.0.1 gave no time stamp",
    "bundle run --output new.zip --timestamp http://127.0.0.1:1": "it cannot be reached",
    "bundle run --output new.zip --timestamp http://stamps.example --timestamp-user auditor": (
        "a password is sent only to an https address"
    ),
    "bundle run --timestamp-user auditor": "--timestamp-user is for --timestamp URL",
    "bundle run --timestamp-file auditor.pub": "--timestamp-file is added to a bundle, and run is none",
    "bundle run.drsi.zip --timestamp-file auditor.pub --sign auditor.pem": "--timestamp-file goes with --output only",
    # ------------------------------------------------------------------ the build of the run
    "verify run --use-bundled-suite": "is for a bundle",
    "verify run.drsi.zip --suite-sha256 00": "is for --use-bundled-suite",
    "verify run.drsi.zip --use-bundled-suite --suite auditor.pub": "name two wheels",
    "verify run.drsi.zip --suite auditor.pub --attest auditor.pem": "--attest states what this build",
    "verify run --suite nowhere.whl": "does not exist",
    # ------------------------------------------------------------------ statements of a verifier
    "verify run --attest absent.pem": "absent.pem cannot be read",
    # ------------------------------------------------------------------ the challenge of a regulator
    "check --nonce ''": NONCE,
    "check --nonce 'a(b'": NONCE,
    "check --nonce ü": NONCE,
    "check --nonce 'a\n'": NONCE,
    f"check --nonce {'x' * 129}": NONCE,
}


@pytest.fixture(scope="module")
def place(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run, its bundle and a key."""
    folder = tmp_path_factory.mktemp("place")
    shutil.copytree(recorded, folder / "run")
    written(folder / "run.drsi.zip", packed(folder / "run", key(folder)))
    return folder


@pytest.mark.parametrize("line", REFUSED)
def test_a_refused_use_is_one_message(
    command: Command, place: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setenv("DRSI_TIMESTAMP_PASSWORD", "secret")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}

    result = command(*shlex.split(line))

    is_one_message(result, REFUSED[line])
    assert "secret" not in result.err
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("report.json", b'"seed": ', b'"seed": 1', "report.json was altered"),
        ("evidence.har", b'"_ended"', b'"_over"', "evidence.har is not what 'check' wrote"),
    ],
)
def test_an_altered_run_is_not_packed(
    command: Command, run: Path, name: str, old: bytes, new: bytes, said: str
) -> None:
    content = (run / name).read_bytes()
    assert old in content
    (run / name).write_bytes(content.replace(old, new, 1))
    is_one_message(command("bundle", "run"), said)
