"""What is added to a store is what is read of it; test_transfer.py moves a store to PostgreSQL and back."""

from __future__ import annotations

from pathlib import Path

import bundles
import report_samples as samples
from postgres import EACH_DATABASE
from sqlalchemy import select
from stored_runs import URL, recorded_run

from conformance.fleet.store import tables
from conformance.fleet.store.rows import Target
from conformance.fleet.store.store import Store
from conformance.model.requirements import catalogue
from conformance.model.verdict import Outcome, Verdict
from conformance.reports import files
from conformance.trust.archive import member, write


def test_a_run_is_kept_with_its_verdicts_findings_and_evidence(store: Store, run: Path) -> None:
    store.set_target(Target(name="example", base_url=URL, authority="Example Ltd", labels={"sector": "health"}))
    audit = store.begin_audit("February")
    number = store.add_run(run, target="example", audit=audit)
    store.end_audit(audit)

    (kept,) = store.runs("example")
    assert (kept.id, kept.target, kept.audit, kept.base_url) == (number, "example", audit, URL)
    assert (kept.outcome, kept.failed, kept.started) == (Outcome.DOES_NOT_CONFORM, 1, "2026-02-01T12:00:00.000Z")
    assert [each.requirement for each in store.verdicts(number)] == list(catalogue().rows)
    (finding,) = (each for each in store.findings(number) if each.requirement == "4.3-answers-ok")
    assert (finding.verdict, finding.exchanges) == (Verdict.FAIL, ("e1",))
    assert finding.message == "The settings lack what the clause demands."
    (latest,) = store.latest_runs()
    assert (latest.id, latest.runs, latest.labels) == (number, 1, {})
    with store.database.reading() as connection:
        (known,) = connection.execute(select(tables.targets))
    assert (known.authority, known.labels) == ("Example Ltd", '{"sector":"health"}')
    (held,) = store.audits()
    assert held.name == "February"
    assert held.started <= str(held.finished)
    for name in (files.DATA, files.EVIDENCE):
        assert member(store.bundles.read(kept.bundle), name) == (run / name).read_bytes()


def test_a_statement_that_was_added_to_a_run_replaces_it(store: Store, evidence: Path, tmp_path: Path) -> None:
    run = recorded_run(tmp_path / "run", failing=["4.3-answers-ok"])
    number = store.add_run(run, target="example")
    (before,) = store.runs("example")
    said = samples.replied({}, "4.3-answers-ok") | samples.attested({}, "8-limit-per-user")

    assert store.add_run(recorded_run(run, failing=["4.3-answers-ok"], changes=said)) == number
    (after,) = store.runs("example")
    assert after.bundle != before.bundle
    assert [path.name for path in evidence.rglob("*.zip")] == [f"{after.bundle}.drsi.zip"]
    attestation, reply = store.statements(number)
    assert (attestation.kind, attestation.document) == ("attestation", "policy.pdf")
    assert (reply.kind, reply.name, reply.key) == ("reply", "Example Ltd", "SHA256:0123")


def test_a_signed_bundle_is_kept_as_it_is(store: Store, run: Path, tmp_path: Path) -> None:
    signed = tmp_path / "signed.drsi.zip"
    write(signed, bundles.packed(run, bundles.key(tmp_path)))
    number = store.add_run(run)

    assert store.add_run(signed) == number
    (kept,) = store.latest_runs()
    assert store.bundles.read(kept.bundle) == signed.read_bytes()
    assert [store.add_run(signed), store.add_run(run)] == [number, number]
    assert list(store.latest_runs()) == [kept]


def test_the_latest_runs_of_each_target_are_kept(store: Store, evidence: Path, tmp_path: Path) -> None:
    for target, days in (("a", (3, 1, 2)), ("b", (3, 2))):
        for day in days:
            run = recorded_run(tmp_path / f"{target}{day}", day, base_url=f"https://{target}.example")
            store.add_run(run, target=target)

    assert store.keep(2) == 1
    days = [f"2026-02-{day:02}T12:00:00.000Z" for day in (3, 2)]
    assert [[each.started for each in store.runs(target)] for target in ("a", "b")] == [days, days]
    kept = {each.bundle for target in ("a", "b") for each in store.runs(target)}
    assert {path.name.partition(".")[0] for path in evidence.rglob("*.zip")} == kept


@EACH_DATABASE  # PostgreSQL takes no NUL, and no half of a pair
def test_text_of_a_service_is_kept_printable(store: Store, tmp_path: Path) -> None:
    run = recorded_run(tmp_path / "run", failing=["4.3-answers-ok"], text=samples.HOSTILE)
    number = store.add_run(run, target=f"name {samples.HOSTILE}")

    (finding,) = (each for each in store.findings(number) if each.requirement == "4.3-answers-ok")
    assert r"\x1b[31mred" in finding.message
    assert r"\x00" in finding.message
    assert r"\ud800" in finding.message
    (latest,) = store.latest_runs()
    assert [each.id for each in store.runs(latest.target)] == [number]
