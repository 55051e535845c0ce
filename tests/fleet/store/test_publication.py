"""What a store records for a register: consent, its end, withdrawals, parties and witnesses."""

from __future__ import annotations

from pathlib import Path

import pytest
from registers import BUILT
from stored_runs import recorded_run

from conformance.fleet.store import publication as records
from conformance.fleet.store.rows import StoreFault
from conformance.fleet.store.store import Store


def withdraw(store: Store, bundle: str | None = None, target: str = "example") -> str:
    return records.withdraw(
        store, target, reason="Another service was checked.", stated="2026-02-25", recorded=BUILT, bundle=bundle
    )


def test_a_withdrawal_is_about_one_run(store: Store, tmp_path: Path) -> None:
    numbers = [store.add_run(recorded_run(tmp_path / f"{day}", day), target="example") for day in (1, 2)]
    digests = [run.bundle for run in store.runs("example")]

    assert withdraw(store) == digests[0]
    assert withdraw(store, digests[1]) == digests[1]
    assert [each.run for each in store.withdrawals("example")] == numbers
    with pytest.raises(StoreFault, match=f"{digests[0]} is withdrawn since 2026-02-25") as fault:
        withdraw(store)
    assert "A new run" in fault.value.remedy
    with pytest.raises(StoreFault, match="has no run with the bundle 00"):
        withdraw(store, "00" * 32)
