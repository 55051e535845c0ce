"""A store with a few services, and its site, built once."""

from __future__ import annotations

from pathlib import Path

import bundles
import pytest
import registers
import report_samples as samples
from stored_runs import recorded_run

from conformance.fleet.site import build
from conformance.fleet.store.store import Store

BUILT = "2026-04-01T05:00:00.000Z"
DELETE = "4.3-answers-ok"


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which a service got worse, one is fine, and one is hostile and answered the findings."""
    folder = tmp_path_factory.mktemp("filled")
    with Store.open(folder / "audits.sqlite", create=True) as store:
        for day, failing in enumerate(((), (DELETE,)), 1):
            run = recorded_run(folder / f"worse-{day}", day, failing=failing, base_url="https://worse.example")
            audit = store.begin_audit("weekly") if failing else None
            store.add_run(run, target="worse", audit=audit)
        store.add_run(recorded_run(folder / "fine", base_url="https://fine.example"), target="fine", audit=audit)
        report = samples.attested(samples.eventful(samples.HOSTILE), "8-limit-per-user", text=samples.HOSTILE)
        hostile = bundles.recorded(folder / "hostile", samples.replied(report, DELETE, text=samples.HOSTILE))
        store.add_run(hostile, target=f"hostile {samples.HOSTILE}")
    return folder / "audits.sqlite"


@pytest.fixture(scope="session")
def site(filled: Path) -> Path:
    """The folder of the site. No test changes it."""
    output = filled.with_name("site")
    with Store.open(filled) as store:
        build(store, output, BUILT)
    return output


@pytest.fixture(scope="session")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with published services. No test changes it."""
    return registers.filled(tmp_path_factory.mktemp("registers"))


@pytest.fixture(scope="session")
def register_key(registered: Path) -> Path:
    return bundles.key(registered.parent)


@pytest.fixture(scope="session")
def register(registered: Path, register_key: Path) -> Path:
    """The folder of its signed register. No test changes it."""
    output = registered.with_name("register")
    registers.built(registered, output, key=register_key, address="https://register.example/drsi")
    return output
