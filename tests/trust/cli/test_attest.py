"""Statements about what no client can decide, added to a recorded run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from cli_services import Command, report_of

STATEMENT = ("--statement", "Our job erases it within a day.", "--name", "A. Person", "--date", "2026-02-01")
ERASES = ("--requirement", "3-erases-gathered")


def contents(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in run.rglob("*") if path.is_file()}


def test_a_statement_with_its_document_is_in_the_data_and_in_the_views_that_exist(
    command: Command, folder: Path, run: Path
) -> None:
    before = contents(run)
    (folder / "policy.pdf").write_bytes(b"policy")

    result = command("attest", "run", *ERASES, *STATEMENT, "--document", "policy.pdf")

    assert (result.code, result.err) == (0, "")
    assert "Attested by A. Person on 2026-02-01" in result.out
    digest = hashlib.sha256(b"policy").hexdigest()
    old, new = json.loads(before["report.json"]), report_of(run)
    assert new.pop("attestations") == [
        {
            "requirement": "3-erases-gathered",
            "statement": "Our job erases it within a day.",
            "name": "A. Person",
            "date": "2026-02-01",
            "document": {"name": "policy.pdf", "sha256": digest},
        }
    ]
    assert old.pop("attestations") == []
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

    assert command("attest", "run", "--remove", "3-erases-gathered").code == 0
    assert contents(run) == before
    assert not (run / "attachments").exists()


def test_a_document_is_kept_as_long_as_a_statement_needs_it(command: Command, folder: Path, run: Path) -> None:
    (folder / "policy.pdf").write_bytes(b"policy")
    document = ("--document", "policy.pdf")
    assert command("attest", "run", *ERASES, *STATEMENT, *document).code == 0
    assert command("attest", "run", "--requirement", "4.5-complete-overview", *STATEMENT, *document).code == 0

    assert command("attest", "run", "--remove", "3-erases-gathered").code == 0
    assert (run / "attachments" / "policy.pdf").exists()

    (folder / "policy.pdf").write_bytes(b"another")
    before = contents(run)
    result = command("attest", "run", *ERASES, *STATEMENT, *document)
    assert (result.code, "exists, and is another document" in result.err) == (2, True)
    assert contents(run) == before


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--requirement", "4.4-object", *STATEMENT), "Requirements that can be attested: 2.1-isCompleted-value, "),
        (("--requirement", "4.3-answers-ok", *STATEMENT), "'4.3-answers-ok' is not a requirement of this run that"),
        (ERASES, "Expected a text for --statement, --name."),
        ((*ERASES, *STATEMENT, "--document", "nowhere.pdf"), "nowhere.pdf cannot be read: No such file"),
        ((*ERASES, *STATEMENT, "--document", "a\\b"), "has a backslash or a control character"),
        (("--remove", "3-erases-gathered"), "is not attested. Attested requirements: none."),
        (("--remove", "3-erases-gathered", *ERASES), "--remove takes no other option"),
    ],
)
def test_what_cannot_be_attested_changes_nothing(
    command: Command, run: Path, arguments: tuple[str, ...], reason: str
) -> None:
    before = contents(run)
    result = command("attest", "run", *arguments)
    assert (result.code, result.out) == (2, "")
    assert reason in result.err
    assert contents(run) == before


def test_a_report_with_exchanges_is_not_replaced_by_one_without(command: Command, run: Path) -> None:
    (run / "evidence.har").unlink()
    before = contents(run)
    assert command("attest", "run", *ERASES, *STATEMENT).code == 2
    assert contents(run) == before
