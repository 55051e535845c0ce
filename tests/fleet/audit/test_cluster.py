"""A cluster without one: what it refuses, and what it believes of what comes back. tests/cli has real workers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dask
import distributed  # noqa: F401 - its settings have to be there before one is changed
import pytest
from audited import job

from conformance.fleet.audit import cluster
from conformance.fleet.audit.cluster import Cluster, ClusterFault, connected
from conformance.fleet.audit.folders import LOCK, claimed
from conformance.fleet.audit.one_run import Job, without_report
from conformance.fleet.audit.result import State
from conformance.fleet.audit.sources import Source
from conformance.fleet.audit.worker import Made, Terms, digest_of, run_here, unfit
from conformance.model.build import build


def terms(folder: Path, **other: Any) -> Terms:
    own = {"audit": "an audit", "build": build(), "lock": folder / LOCK, "place": folder}
    return Terms(**{**own, **other})


class Client:
    """Has the members of the client of Dask that an audit uses; a thread is its worker."""

    status = "running"

    def __init__(self) -> None:
        self.executor = ThreadPoolExecutor(1)

    def get_executor(self, **_: Any) -> Any:
        submit = self.executor.submit

        class Executor:
            @staticmethod
            def submit(call: Any, *arguments: Any, key: str) -> Any:
                assert key.startswith("run-")
                return submit(call, *arguments)

        return Executor

    def nthreads(self) -> dict[str, int]:
        return {"a": 2, "b": 1}


def made(monkeypatch: pytest.MonkeyPatch, folder: Path, run: Callable[[Job], Made]) -> tuple[Cluster, Any]:
    monkeypatch.setattr(cluster, "run_here", lambda job, _: run(job))
    client = Client()
    with client.executor:
        used = Cluster(client, terms(folder))  # type: ignore[arg-type]
        return used, used.run(job(folder), threading.Event().is_set)


def finished(job: Job) -> Made:
    job.final.mkdir(parents=True)
    (job.final / "report.json").write_text("{}", "utf-8")
    return Made(without_report(job, State.FINISHED), digest_of(job.final))


@pytest.mark.parametrize("change", [lambda path: path.write_text("[]", "utf-8"), Path.unlink])
def test_other_files_than_those_of_the_worker_are_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object]
) -> None:
    def altered(job: Job) -> Made:
        found = finished(job)
        change(job.final / "report.json")
        return found

    monkeypatch.setattr(cluster, "_FILES", 0)
    _, found = made(monkeypatch, tmp_path, altered)
    assert found.state is State.BROKEN
    assert "are not those that the worker wrote" in found.message
    assert not (tmp_path / "runs/one").exists()


def test_what_a_worker_must_have(tmp_path: Path) -> None:
    with claimed(tmp_path):
        assert unfit(terms(tmp_path)) == ""
        assert "it has another build of the suite" in unfit(terms(tmp_path, build="sha256:0"))
        assert "has the file of the targets" in unfit(terms(tmp_path, place=tmp_path / "absent"))
    assert "which the audit has locked" in unfit(terms(tmp_path))
    assert "it cannot open" in unfit(terms(tmp_path, lock=tmp_path / "absent"))


def test_a_worker_begins_no_run_without_a_token(tmp_path: Path) -> None:
    with claimed(tmp_path):
        found = run_here(job(tmp_path, tokens={"token": Source("variable", "ABSENT_TOKEN")}), terms(tmp_path))
    assert found.result.state is State.NOT_RUN
    assert "has no value for ABSENT_TOKEN. Set it on all workers." in found.result.message


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("localhost:8786", "Expected the address of a scheduler, such as tcp://HOST:8786"),
        ("tls://127.0.0.1:9", "needs TLS settings of Dask, and there are none"),
        ("tcp://127.0.0.1:9", "No scheduler of Dask can be used at tcp://127.0.0.1:9: "),
    ],
)
def test_an_address_that_cannot_be_used(tmp_path: Path, address: str, message: str) -> None:
    settings = {"distributed.comm.timeouts.connect": "200ms"}
    with (
        dask.config.set(settings),
        pytest.raises(ClusterFault) as raised,
        connected(address, tmp_path / LOCK, tmp_path),
    ):
        pass
    assert message in str(raised.value)
    assert raised.value.remedy
    assert list(tmp_path.iterdir()) == []
