"""What a store records for a register: consent, its end, withdrawals, parties and witnesses."""

from __future__ import annotations

import json
from pathlib import Path

import bundles
import pytest
import registers
from registers import BUILT
from stored_runs import recorded_run

from conformance.fleet.store import Store, StoreFault
from conformance.fleet.store import publication as records
from conformance.trust.signature import signed, signer


def test_a_consent_covers_the_latest_run_and_later_ones(store: Store, tmp_path: Path) -> None:
    for day in (1, 2):
        store.add_run(recorded_run(tmp_path / f"{day}", day), target="example")
    registers.consented(store, "example")

    (found,) = store.publications()
    assert (found.target, found.basis, found.statement, found.ended) == ("example", "consent", "letter 4711", "")
    assert found.since == "2026-02-02T12:00:00.000Z"
    store.add_run(recorded_run(tmp_path / "3", 3), target="example")
    registers.consented(store, "example", statement="letter 4712")
    (found,) = store.publications()
    assert (found.statement, found.since) == ("letter 4712", "2026-02-02T12:00:00.000Z")
    registers.consented(store, "example", basis="authority", statement="law 12", every_run=True)
    (found,) = store.publications()
    assert (found.basis, found.statement, found.since) == ("authority", "law 12", "")


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


def test_only_the_statement_of_a_witness_about_a_known_bundle_is_kept(store: Store, run: Path, tmp_path: Path) -> None:
    number = store.add_run(run, target="example")
    (known,) = store.runs("example")
    by = signer(bundles.key(tmp_path), lambda: "")
    stated = registers.witnessed(known.bundle)

    envelope = signed(stated, by)
    for _ in range(2):
        assert records.add_witness(store, envelope, recorded=BUILT) == known.bundle
    assert [(each.run, each.bundle) for each in store.witnesses("example")] == [(number, known.bundle)]

    with pytest.raises(StoreFault, match="which the store does not have"):
        records.add_witness(store, signed(registers.witnessed("00" * 32), by), recorded=BUILT)
    verified = registers.witnessed(known.bundle, command="verify")
    for other in (signed(verified, by), b"", b"[]", b"\xff", json.dumps({"payload": 1}).encode(), b" " * 2_000_000):
        with pytest.raises(StoreFault, match="Expected the statement of a witness"):
            records.add_witness(store, other, recorded=BUILT)
