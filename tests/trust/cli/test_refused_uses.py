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
REFUSED = {
    f"{ATTEST} 4.3-answers-ok": "'4.3-answers-ok' is not a requirement of this run that",
    f"{ATTEST} 3-erases-gathered --document nowhere.pdf": "nowhere.pdf cannot be read: No such file",
    f"{REPLY} 4.4-object": "Requirements that can be answered: 4.3-answers-ok.",
    f"{REPLY} 4.3-answers-ok --sign nowhere.pem": "nowhere.pem cannot be read: No such file",
    # ------------------------------------------------------------------ bundles
    "bundle run": "run.drsi.zip exists, and is not overwritten. fix Name another file with --output",
    "bundle run --output absent/a.zip": "Name a place that can be written with --output",
    "bundle run --output new.zip --timestamp ftp://127.0.0.1": "ftp://127.0.0.1 gave no time stamp",
    "bundle run --output new.zip --sign absent.pem": "absent.pem cannot be read: No such file",
    "bundle run --output new.zip --timestamp http://127.0.0.1:1": "it cannot be reached",
    "bundle run --output new.zip --timestamp http://stamps.example --timestamp-user auditor": (
        "a password is sent only to an https address"
    ),
    # ------------------------------------------------------------------ the build of the run
    "verify run.drsi.zip --suite-sha256 00": "is for --use-bundled-suite",
    "verify run.drsi.zip --suite auditor.pub --attest auditor.pem": "--attest states what this build",
    "verify run --use-bundled-suite": "is for a bundle",
    # ------------------------------------------------------------------ statements of a verifier
    "verify run --attest absent.pem": "absent.pem cannot be read",
    # ------------------------------------------------------------------ the challenge of a regulator
    "check --nonce 'a\n'": "Expected 1 to 128 visible ASCII characters",
    "check --nonce 'a(b'": "Expected 1 to 128 visible ASCII characters",
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
