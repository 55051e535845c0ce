"""Statements that are added to a recorded run: attestations of what no client can decide, and replies to findings."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from bundles import key
from cli_services import Command, report_of

from conformance.model.report import report_of as typed
from conformance.trust import chain, replies

ERASES, OK = "3-erases-gathered", "4.3-answers-ok"
ATTEST = ("--statement", "Our job erases it within a day.", "--name", "A. Person", "--date", "2026-02-01")
REPLY = ("--requirement", OK, "--statement", "A proxy answered.", "--by", "Example Ltd", "--date", "2026-02-01")


def contents(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in run.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("words", "member", "stated", "said"),
    [
        (
            ("attest", "run", "--requirement", ERASES, *ATTEST),
            "attestations",
            {"requirement": ERASES, "name": "A. Person", "statement": "Our job erases it within a day."},
            "Attested by A. Person on 2026-02-01",
        ),
        (
            ("reply", "run", *REPLY),
            "replies",
            {"requirement": OK, "name": "Example Ltd", "statement": "A proxy answered.", "signature": ""},
            f"{OK}: Example Ltd replied on 2026-02-01: A proxy answered (document policy.pdf",
        ),
    ],
    ids=["attest", "reply"],
)
def test_a_statement_with_its_document_is_in_the_data_and_in_the_views_that_exist(
    command: Command, folder: Path, run: Path, words: tuple[str, ...], member: str, stated: dict[str, str], said: str
) -> None:
    before = contents(run)
    (folder / "policy.pdf").write_bytes(b"policy")

    result = command(*words, "--document", "policy.pdf")

    assert (result.code, result.err, said in result.out) == (0, "", True)
    digest = hashlib.sha256(b"policy").hexdigest()
    old, new = json.loads(before["report.json"]), report_of(run)
    (found,) = new.pop(member)
    assert found.items() >= stated.items()
    assert (found["date"], found["document"]) == ("2026-02-01", {"name": "policy.pdf", "sha256": digest})
    assert old.pop(member) == []
    assert new.pop("digests") != old.pop("digests")
    assert new == old
    assert command("verify", "run").code == 0
    after = contents(run)
    assert after.keys() == before.keys() | {"attachments/policy.pdf"}
    assert after["attachments/policy.pdf"] == b"policy"
    assert after["evidence.har"] == before["evidence.har"]
    for name in ("report.html", "requirements.csv"):
        assert digest.encode() in after[name]
    assert hashlib.sha256(after["report.json"]).hexdigest().encode() in after["summary.html"]

    (run / "attachments/policy.pdf").write_bytes(b"another")
    altered = command("verify", "run")
    assert (altered.code, "documents not as recorded" in altered.out) == (1, True)
    (run / "attachments/policy.pdf").write_bytes(b"policy")
    assert command(*words, "--statement", "Corrected.").code == 0
    assert [each["statement"] for each in report_of(run)[member]] == ["Corrected."]
    (folder / "policy.pdf").write_bytes(b"another")
    before = contents(run)
    refused = command(*words, "--document", "policy.pdf")
    assert (refused.code, "exists, and is another document" in refused.err) == (2, True)
    assert contents(run) == before


def test_no_statement_changes_an_altered_report_or_one_without_its_exchanges(command: Command, run: Path) -> None:
    whole = (run / "report.json").read_text("utf-8")
    (run / "report.json").write_text(json.dumps(report_of(run) | {"seed": 99}), "utf-8")
    for words in ("run was altered: report.json was altered.", "evidence.har"):
        before = contents(run)
        refused = command("attest", "run", "--requirement", ERASES, *ATTEST)
        assert (refused.code, words in refused.err) == (2, True), refused.err
        assert contents(run) == before
        (run / "report.json").write_text(whole, "utf-8")
        (run / "evidence.har").unlink(missing_ok=True)


def test_a_signature_covers_every_part_of_a_reply_and_its_run(command: Command, folder: Path, run: Path) -> None:
    assert "Signed with the key SHA256:" in command("reply", "run", *REPLY, "--sign", str(key(folder))).out
    assert command("verify", "run").code == 0
    assert command("bundle", "run").code == 0
    assert command("verify", "run.drsi.zip").code == 0

    def damage(signed: dict[str, Any], **change: Any) -> list[str]:
        changed = copy.deepcopy(signed)
        changed["replies"][0] |= change
        return list(replies.damage(typed(changed)))

    report, wrong = report_of(run), f"the signature of the reply to {OK} is not valid"
    assert damage(report) == []
    assert damage(report, requirement="4.4-object") == ["the signature of the reply to 4.4-object is not valid"]
    for change in (
        {"document": {"name": "a", "sha256": "0" * 64}},
        *({name: "other"} for name in ("statement", "name", "date", "key", "public_key", "signature")),
        {"signature": ""},
    ):
        assert damage(report, **change) == [wrong], change
    report["digests"]["evidence"] = "sha256:" + "0" * 64
    assert damage(report) == [wrong]

    report = report_of(run)
    report["replies"][0]["statement"] = "We are sorry."
    (run / "report.json").write_text(json.dumps(chain.resealed(report)), "utf-8")
    result = command("verify", "run")
    assert (result.code, wrong in result.out) == (1, True)
