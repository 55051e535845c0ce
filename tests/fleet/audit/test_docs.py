"""The examples of docs/audit.md and docs/cluster.md are what the command reads, and what schedulers read."""

from __future__ import annotations

import re
from pathlib import Path

from conformance.cli.check import command as check
from conformance.cli.option import AUDIT, allowed
from conformance.fleet.audit.sources import TOKENS
from conformance.fleet.audit.targets import PUBLISHED, read

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "audit.md").read_text("utf-8")


def blocks(language: str, page: str = PAGE) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def test_the_files_of_targets_are_read(tmp_path: Path) -> None:
    for language in ("toml", "csv"):
        path = tmp_path / f"targets.{language}"
        path.write_text(blocks(language)[0], "utf-8")
        assert len(read(path)) == 2


def test_every_key_of_a_target_is_documented_and_no_other() -> None:
    table = PAGE.partition("| key | meaning |")[2].partition("\n\n")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row]
    named = {key for row in rows for key in re.findall(r"`([a-z_]+)`", row)}
    assert named == {
        "name",
        "base_url",
        "profile",
        *TOKENS,
        "labels",
        "authority",
        *PUBLISHED,
        *allowed(check, AUDIT),
    }
