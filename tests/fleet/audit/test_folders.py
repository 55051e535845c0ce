"""The folders of audits."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from conformance.fleet.audit import folders


def test_audits_that_begin_in_one_second_are_in_order(tmp_path: Path) -> None:
    now = datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC)

    made = [folders.new(tmp_path, now).id for _ in range(3)]

    assert made == ["20260131T235959Z", "20260201T000000Z", "20260201T000001Z"]
    assert [each.id for each in folders.audits(tmp_path)] == made
