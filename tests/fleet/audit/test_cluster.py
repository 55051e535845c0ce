"""A cluster without one: what it refuses, and what it believes of what comes back. tests/cli has real workers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import distributed  # noqa: F401 - its settings have to be there before one is changed
import pytest
from audited import job

from conformance.fleet.audit import cluster
from conformance.fleet.audit.cluster import received
from conformance.fleet.audit.folders import LOCK, claimed
from conformance.fleet.audit.one_run import without_report
from conformance.fleet.audit.result import State
from conformance.fleet.audit.sources import Source
from conformance.fleet.audit.worker import Terms, Unfit, demand_fit, digest_of, run_here
from conformance.model.build import build


def terms(folder: Path, **other: Any) -> Terms:
    own = {"build": build(), "lock": folder / LOCK, "place": folder}
    return Terms(**{**own, **other})


@pytest.mark.parametrize("change", [lambda path: path.write_text("[]", "utf-8"), Path.unlink])
def test_other_files_than_those_of_the_worker_are_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object]
) -> None:
    one = job(tmp_path)
    one.final.mkdir(parents=True)
    report = one.final / "report.json"
    report.write_text("{}", "utf-8")
    files = digest_of(one.final)
    change(report)

    monkeypatch.setattr(cluster, "_FILES", 0)
    found = received(one, without_report(one, State.FINISHED), files)
    assert found.state is State.BROKEN
    assert "are not those that the worker wrote" in found.message
    assert not (tmp_path / "runs/one").exists()


def test_what_a_worker_must_have(tmp_path: Path) -> None:
    with claimed(tmp_path):
        demand_fit(terms(tmp_path))
        for wrong, said in (
            ({"build": "sha256:0"}, "it has another build of the suite"),
            ({"place": tmp_path / "absent"}, "has the file of the targets"),
            ({"lock": tmp_path / "absent"}, "it cannot open"),
        ):
            with pytest.raises(Unfit, match=said):
                demand_fit(terms(tmp_path, **wrong))
    with pytest.raises(Unfit, match="which the audit has locked"):
        demand_fit(terms(tmp_path))


def test_a_worker_begins_no_run_without_a_token(tmp_path: Path) -> None:
    with claimed(tmp_path):
        found, _ = run_here(job(tmp_path, tokens={"token": Source("variable", "ABSENT_TOKEN")}), terms(tmp_path))
    assert found.state is State.NOT_RUN
    assert "has no value for ABSENT_TOKEN. Set it on all workers." in found.message
