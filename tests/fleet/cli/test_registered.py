"""verify --register: what it prints, and its exit codes."""

from __future__ import annotations

from pathlib import Path

import bundles
import pytest
from cli_services import Command

NOW = ("--now", "2026-04-01T00:00:00Z")  # the run is of March


@pytest.fixture
def place(command: Command, folder: Path, run: Path) -> Path:
    """The bundle of a published run; beside it are its register and the key of that."""
    assert command("bundle", str(run)).code == 0
    for arguments in (
        ("store", "add", "audits.sqlite", "run.drsi.zip", "--target", "example"),
        ("store", "publish", "audits.sqlite", "example", "--consent", "letter"),
        ("site", "audits.sqlite", "out", "--register", "--sign", str(bundles.key(folder)), *NOW),
    ):
        assert command(*arguments).code == 0
    return folder / "run.drsi.zip"


def test_a_listed_bundle_is_verified_with_its_status(command: Command, place: Path) -> None:
    done = command("verify", place.name, "--register", "out", "--register-key", "auditor.pub", *NOW)

    assert (done.code, done.err) == (0, "")
    lines = [line.strip() for line in done.out.splitlines() if line.strip().startswith("register")]
    assert lines[0].startswith("register: The status is valid until ")
    assert "'example' is listed as does-not-conform, independence self" in lines[0]
    assert lines[1].startswith("register signature: The status document is signed with SHA256:")
    assert "; register valid; register signature valid; recorded" in done.out.splitlines()[-1]


def test_a_status_that_is_not_valid_fails(command: Command, folder: Path, place: Path) -> None:
    register = ("verify", place.name, "--register", "out")
    done = command(*register, "--now", "2099-01-01T00:00:00Z")
    assert done.code == 1
    assert "register: The status expired at" in done.out
    assert "; register not valid; register signature not checked; recorded" in done.out.splitlines()[-1]

    command("store", "withdraw", "audits.sqlite", "example", "--reason", "Wrong.")
    command("site", "audits.sqlite", "out", "--register", "--sign", "auditor.pem", *NOW)
    done = command(*register, *NOW)
    assert (done.code, "was withdrawn on" in done.out) == (1, True)

    assert command("verify", place.name, "--register", "out", "--register-key", "other.pub").code == 2
    bundles.key(folder, name="other")
    done = command("verify", place.name, "--register", "out", "--register-key", "other.pub")
    assert (done.code, "is not signed with SHA256:" in done.out) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run.drsi.zip", "--register", "nowhere"), "nowhere does not exist"),
        (("run.drsi.zip", "--register", "run"), "Expected a register at run"),
        (("run.drsi.zip", "--register", "http://register.example"), "expected an https address"),
        (("run", "--register", "out"), "--register looks up a bundle by its digest"),
        (("run.drsi.zip", "--register-key", "auditor.pub"), "--register-key is for --register"),
        (("run.drsi.zip", "--register", "out", "--use-bundled-suite"), "--register excludes another build"),
    ],
)
@pytest.mark.usefixtures("place")
def test_what_cannot_be_done_is_explained(command: Command, arguments: tuple[str, ...], said: str) -> None:
    done = command("verify", *arguments)

    assert (done.code, done.out) == (2, "")
    assert said in " ".join(done.err.split())


KEY = ("--register-key", "auditor.pub")
NEXT = ("--now", "2026-04-02T00:00:00Z")


def rebuilt(command: Command, *given: str) -> str:
    done = command("site", "audits.sqlite", "out", "--register", "--sign", "auditor.pem", *given)
    assert done.code == 0, done.err
    return done.out


def test_a_copy_is_no_answer_after_its_next_update(command: Command, place: Path) -> None:
    register = ("verify", place.name, "--register", "out", *KEY)
    assert command(*register, "--now", "2026-04-07T23:59:59Z").code == 0

    done = command(*register, "--attest", "auditor.pem", "--now", "2026-04-08T00:00:00Z")

    assert (done.code, "Ask the register again" in done.out) == (3, True)
    assert "; register not current; register signature valid; recorded" in done.out
    assert "Statement (FAILED)" in done.out
    rebuilt(command, "--next-update", "2d", *NEXT)
    assert command(*register, "--now", "2026-04-03T23:59:59Z").code == 0
    assert command(*register, "--now", "2026-04-04T00:00:00Z").code == 3
