"""Replies of the audited organisation, added to a recorded run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bundles import key
from cli_services import Command, report_of

from conformance.trust import chain

ID = "4.3-answers-ok"
REPLY = ("--requirement", ID, "--statement", "A proxy answered.", "--by", "Example Ltd", "--date", "2026-02-01")


def contents(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in run.rglob("*") if path.is_file()}


def changed(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the report of a run, and give it the digest of the changed one, as a forger would."""
    report = report_of(run)
    change(report)
    (run / "report.json").write_text(json.dumps(chain.resealed(report), indent=2), "utf-8")
    for page in ("report.html", "summary.html", "requirements.csv"):
        (run / page).unlink()


def test_a_reply_is_in_the_data_and_beside_the_finding_in_the_views(command: Command, folder: Path, run: Path) -> None:
    before = contents(run)
    (folder / "letter.pdf").write_bytes(b"letter")

    result = command("reply", "run", *REPLY, "--document", "letter.pdf")

    assert (result.code, result.err) == (0, "")
    assert f"{ID}: Example Ltd replied on 2026-02-01: A proxy answered (document letter.pdf" in result.out
    old, new = json.loads(before["report.json"]), report_of(run)
    (reply,) = new.pop("replies")
    assert (reply["requirement"], reply["name"], reply["signature"]) == (ID, "Example Ltd", "")
    assert old.pop("replies") == []
    assert new.pop("digests") != old.pop("digests")
    assert new == old
    after = contents(run)
    assert after.keys() == before.keys() | {"attachments/letter.pdf"}
    for name in ("report.html", "requirements.csv", "summary.html"):
        assert b"replied" in after[name]
    found = command("verify", "run")
    assert (found.code, "1 requirement answered by the organisation, 0 of them with a signature" in found.out) == (
        0,
        True,
    )

    assert command("reply", "run", "--remove", ID).code == 0
    assert contents(run) == before


def test_a_signed_reply_is_verified_in_the_folder_and_in_a_bundle(command: Command, folder: Path, run: Path) -> None:
    secret = key(folder)
    assert "Signed with the key SHA256:" in command("reply", "run", *REPLY, "--sign", str(secret)).out

    assert command("verify", "run").code == 0
    assert command("bundle", "run").code == 0
    assert command("verify", "run.drsi.zip").code == 0

    changed(run, lambda report: report["replies"][0].update(statement="We are sorry."))
    result = command("verify", "run")
    assert (result.code, f"the signature of the reply to {ID} is not valid" in result.out) == (1, True)


@pytest.mark.parametrize(
    "change",
    [
        {"requirement": "4.4-object"},
        {"document": {"name": "a", "sha256": "0" * 64}},
        {"key": "SHA256:0"},
        {"signature": ""},
    ],
)
def test_a_signature_covers_every_part_of_a_reply(
    command: Command, folder: Path, run: Path, change: dict[str, Any]
) -> None:
    secret = key(folder)
    assert command("reply", "run", *REPLY, "--sign", str(secret)).code == 0

    changed(run, lambda report: report["replies"][0].update(change))

    result = command("verify", "run")
    assert (result.code, "is not valid" in result.out) == (1, True)


def test_a_signed_reply_answers_one_run_only(command: Command, folder: Path, run: Path) -> None:
    secret = key(folder)
    assert command("reply", "run", *REPLY, "--sign", str(secret)).code == 0
    (reply,) = report_of(run)["replies"]
    evidence = json.loads((run / "evidence.har").read_bytes())
    evidence["log"]["comment"] = "another run"
    (run / "evidence.har").write_text(json.dumps(evidence), "utf-8")

    def of_another_run(report: dict[str, Any]) -> None:
        report["digests"]["evidence"] = chain.digest(evidence)
        report["replies"] = [reply]

    changed(run, of_another_run)

    assert f"the signature of the reply to {ID} is not valid" in command("verify", "run").out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--requirement", "4.4-object", *REPLY[2:]), "Requirements that can be answered: 4.3-answers-ok."),
        (REPLY[:2], "Expected a text for --statement, --by."),
        ((*REPLY, "--document", "nowhere.pdf"), "nowhere.pdf cannot be read: No such file"),
        ((*REPLY, "--sign", "nowhere.pem"), "nowhere.pem cannot be read: No such file"),
        (("--remove", ID), "is not answered. Answered requirements: none."),
        (("--remove", ID, "--sign", "a.pem"), "--remove takes no other option"),
    ],
)
def test_what_cannot_be_answered_changes_nothing(
    command: Command, run: Path, arguments: tuple[str, ...], reason: str
) -> None:
    before = contents(run)
    result = command("reply", "run", *arguments)
    assert (result.code, result.out) == (2, "")
    assert reason in result.err
    assert contents(run) == before
