"""A store with published services and one without consent, and its register."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import report_samples as samples
from stored_runs import recorded_run

from conformance.fleet.register.entries import Terms
from conformance.fleet.site.register import Registered, build_register
from conformance.fleet.store.publication import publish
from conformance.fleet.store.store import Store
from conformance.trust.signature import signer

BUILT = "2026-03-01T05:00:00.000Z"
LATER = "2026-06-01T05:00:00.000Z"
DELETE = "4.3-answers-ok"
SECRET = "silent"
SECRET_URL = "https://silent.example"
TERMS = Terms(valid_for=timedelta(days=90), operator="Registry of Examples")


def consented(store: Store, target: str, **changes: Any) -> None:
    """Record a consent to publish a service from its latest run on."""
    given = {"basis": "consent", "statement": "letter 4711", "stated": "2026-02-20", **changes}
    publish(store, target, **given)


def filled(folder: Path) -> Path:
    """Make a store and a key: fine conforms, worse got worse, hostile has hostile texts, and silent gave no consent."""
    import bundles

    bundles.key(folder)
    file = folder / "audits.sqlite"
    with Store.open(file, create=True) as store:
        store.add_run(recorded_run(folder / "worse-1", 1, base_url="https://worse.example"), target="worse")
        consented(store, "worse", basis="authority", statement="law 12")
        audit = store.begin_audit("weekly")
        worse = recorded_run(folder / "worse-2", 2, failing=[DELETE], base_url="https://worse.example")
        store.add_run(worse, target="worse", audit=audit)
        store.add_run(recorded_run(folder / "fine", base_url="https://fine.example"), target="fine", audit=audit)
        consented(store, "fine")
        store.add_run(recorded_run(folder / SECRET, 3, failing=[DELETE], base_url=SECRET_URL), target=SECRET)
        report = samples.attested(samples.eventful(samples.HOSTILE), "8-limit-per-user", text=samples.HOSTILE)
        hostile = bundles.recorded(folder / "hostile", samples.replied(report, DELETE, text=samples.HOSTILE))
        store.add_run(hostile, target=f"hostile {samples.HOSTILE}")
        consented(store, f"hostile {samples.HOSTILE}")
    return file


def built(store: Path, output: Path, *, moment: str = BUILT, **changes: Any) -> Registered:
    """Build the register of a store, signed with the key beside it."""
    by = signer(store.with_name("auditor.pem"), str)
    with Store.open(store) as opened:
        return build_register(opened, output, moment, terms=changes.pop("terms", TERMS), signer=by, **changes)


def digest_of(store: Path, target: str, number: int = 0) -> str:
    """Return the digest of the bundle of a run of a service, by default the latest."""
    with Store.open(store) as opened:
        return list(opened.runs(target))[number].bundle


def witnessed(bundle: str, *, command: str = "witness", code: int = 0, url: str = "https://fine.example") -> Any:
    """Return the statement of a witness about a bundle, as `witness --attest` writes it."""
    from conformance.model.report import report_of
    from conformance.trust.summary import summary

    about = {"run.drsi.zip": bundle}
    report = report_of(samples.data(samples.report()))
    return summary(
        about, report, command=command, resource=url, code=code, levels=["DRSI_LIVE_SERVICE_AGREES"], details={}
    )
