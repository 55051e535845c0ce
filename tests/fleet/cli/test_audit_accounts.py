"""`audit`: what a run left in the accounts of a target, and the confirmation that nothing else counts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from audited import QUICK, TOKENS, audits, document, target, write
from cli_services import Command, Served, served

from conformance.calibration.faults import FAULTS

pytestmark = pytest.mark.usefixtures("folder")

LINES = (
    'token = "variable:TOKEN_OF_A"',
    'other_token = "variable:TOKEN_OF_B"',
    "empty_account = true",
    'only = ["8-accepts-up-to-limit"]',
)
WITHHELD = "This run was made without the confirmation empty_account"


@pytest.fixture(autouse=True)
def _tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, token in TOKENS.items():
        monkeypatch.setenv(name, token)


def audit(command: Command, service: Served, *lines: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Make the next audit; return the result of its target, and the report."""
    command("audit", write(target("a", service.base_url, *LINES, *lines)), *QUICK, "--quiet")
    (found,) = document()["targets"]
    return found, json.loads((audits()[-1] / "runs/a/report.json").read_text("utf-8"))


def verdict(report: dict[str, Any]) -> str:
    (found,) = (each["verdict"] for each in report["requirements"] if each["id"] == "8-accepts-up-to-limit")
    return str(found)


def test_what_an_earlier_run_left_accuses_no_service(command: Command) -> None:
    with served(FAULTS["data-request-request-id-urn"].service) as service:
        first, _ = audit(command, service)
        assert (first["left_behind"], first["not_found"]) == (0, 1)
        assert service.live
        assert "Later runs are made without the confirmation empty_account" in first["message"]

        for _ in range(2):  # also of a run that left nothing itself
            found, report = audit(command, service)
            assert (verdict(report), found["outcome"], report["confirmations"]) == ("inconclusive", "inconclusive", [])
            assert found["message"].startswith(WITHHELD)
            assert found["unclear_since"] == first["unclear_since"]
            assert first["unclear_since"] in found["message"]
            assert first["unclear_since"] in report["run"]["labels"]["empty-account"]

        service.service.reset()
        found, report = audit(command, service, f"account_emptied = {first['unclear_since']}")
        assert report["confirmations"] == ["empty-account"]
        assert "empty-account" not in report["run"]["labels"]
