"""Independence follows from recorded keys and signatures, and never from a text in a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import bundles
import pytest
import registers
import report_samples as samples
from registers import BUILT, TERMS
from stored_runs import recorded_run

from conformance.fleet.register.entries import Terms, entries
from conformance.fleet.register.status import Proof, RunBy, Standing, Status
from conformance.fleet.store.publication import add_party, add_witness
from conformance.fleet.store.store import Store
from conformance.model.report import report_of
from conformance.trust.replies import payload
from conformance.trust.signature import public_key, public_pem, signed, signer

URL = "https://fine.example"
SELF = Standing()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "audits.sqlite", create=True) as store:
        yield store


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return recorded_run(tmp_path / "run", base_url=URL, text="A third party witnessed this run.")


@pytest.fixture
def auditor(tmp_path: Path) -> Path:
    return bundles.key(tmp_path)


def known(store: Store, key: Path, name: str = "Auditor") -> str:
    """Record the key as that of an independent party; return its fingerprint."""
    fingerprint, pem = public_key(key.with_suffix(".pub"))
    add_party(store, name=name, key=fingerprint, public_key=pem)
    return fingerprint


def status(store: Store, terms: Terms = TERMS) -> Status:
    registers.consented(store, "fine")
    (entry,) = entries(store, terms, BUILT)
    return entry.latest


def test_the_signature_of_a_party_shows_a_third_party(store: Store, run: Path, auditor: Path, tmp_path: Path) -> None:
    store.add_run(bundles.written(tmp_path / "run.drsi.zip", bundles.packed(run, auditor)), target="fine")
    assert status(store).independence == SELF  # a key that is not recorded shows nothing

    key = known(store, auditor)
    found = status(store)
    assert found.run_by == RunBy(name="Auditor", key=key, basis=Proof.SIGNATURE)
    assert (found.independence.value, found.independence.basis) == ("third party", "signature")


def test_a_signature_of_other_files_shows_nothing(store: Store, run: Path, auditor: Path, tmp_path: Path) -> None:
    other = bundles.packed(recorded_run(tmp_path / "other", 2, base_url=URL), auditor)
    content = bundles.packed(run) | {"statement.dsse.json": other["statement.dsse.json"]}
    store.add_run(bundles.written(tmp_path / "run.drsi.zip", content), target="fine")
    known(store, auditor)

    assert (status(store).run_by, status(store).independence) == (RunBy(), SELF)


def test_the_key_of_the_organisation_is_never_independent(store: Store, auditor: Path, tmp_path: Path) -> None:
    by = signer(auditor, lambda: "")
    data = samples.replied(samples.data(samples.report(base_url=URL)), "4.3-answers-ok")
    (reply,) = report_of(data).replies
    envelope = signed(payload(reply, ""), by).decode()
    data["replies"][0] |= {"key": by.public_key.keyid, "public_key": public_pem(by), "signature": envelope}
    folder = recorded_run(tmp_path / "run", base_url=URL, changes={"replies": data["replies"]})
    store.add_run(bundles.written(tmp_path / "run.drsi.zip", bundles.packed(folder, auditor)), target="fine")
    known(store, auditor)

    found = status(store)
    assert [each.key for each in found.replies] == [by.public_key.keyid]
    assert (found.run_by, found.independence) == (RunBy(), SELF)

    later = recorded_run(tmp_path / "later", 2, base_url=URL)
    store.add_run(bundles.written(tmp_path / "later.drsi.zip", bundles.packed(later, auditor)), target="fine")
    found = status(store)
    assert (found.started[:10], found.replies) == ("2026-02-02", ())
    assert (found.run_by, found.independence) == (RunBy(), SELF)


def witnessed(store: Store, key: Path, **changes: object) -> Standing:
    """Return the independence after the statement of a witness."""
    (stored,) = store.runs("fine")
    stated = registers.witnessed(stored.bundle, **changes)  # type: ignore[arg-type]
    add_witness(store, signed(stated, signer(key, lambda: "")))
    return status(store).independence


@pytest.mark.parametrize("changes", [{"code": 1}, {"code": 3}, {"url": "https://test.fine.example"}, {}])
def test_a_witness_that_does_not_agree_or_has_the_key_of_no_party_does_not_count(
    store: Store, run: Path, auditor: Path, tmp_path: Path, changes: dict[str, object]
) -> None:
    store.add_run(run, target="fine")
    known(store, auditor)

    assert witnessed(store, auditor if changes else bundles.key(tmp_path, name="other"), **changes) == SELF


def test_an_audit_of_the_operator_is_the_word_of_the_register(store: Store, run: Path) -> None:
    store.add_run(run, target="fine", audit=store.begin_audit("week 9"))

    found = status(store)
    assert found.run_by == RunBy(name="Registry of Examples", basis=Proof.REGISTER)
    assert found.independence == SELF
    assert status(store, replace(TERMS, operator="")).run_by == RunBy()


def test_a_run_of_the_future_is_not_published(store: Store, run: Path, tmp_path: Path) -> None:
    store.add_run(run, target="fine")
    registers.consented(store, "fine")
    wrong_clock = recorded_run(tmp_path / "later", 2, base_url=URL, changes={"finished": "2026-03-01T06:00:01Z"})
    store.add_run(wrong_clock, target="fine")

    (entry,) = entries(store, TERMS, BUILT)
    assert [(each.started[:10], each.state) for each in entry.statuses] == [("2026-02-01", "valid")]
