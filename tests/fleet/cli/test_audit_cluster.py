"""`audit --dask`: a real scheduler and two workers, which are killed, restarted and stopped meanwhile."""

from __future__ import annotations

import gzip
import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from audited import PUBLIC, TOKENS, audits, document, held, target, waiting, write
from cli_services import OTHER_TOKEN, PATIENCE, TOKEN, Command, Served, Started, names_in, served
from clustered import Cluster, descendants, send
from platforms import POSIX_SIGNALS

NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux has /proc")
pytestmark = [pytest.mark.usefixtures("folder"), POSIX_SIGNALS, NEEDS_PROC]


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("dask"), **TOKENS) as started:
        started.begin(workers=2)
        yield started


def audit(folder: Path, dask: Cluster, *arguments: str, **environment: str) -> Started:
    """Start an audit on the cluster. Its own environment has no tokens."""
    return Started(folder, "audit", "targets.toml", "--dask", dask.address, *arguments, **environment)


def at_work(dask: Cluster, name: str = "held") -> Started:
    """Return the worker that makes the run of a target, which has created something."""
    (journal,) = Path("audits").glob(f"*/unfinished/{name}/*/journal.jsonl")
    run = int(json.loads(journal.read_text("utf-8").splitlines()[0])["process"])
    (worker,) = (each for each in dask.workers if run in descendants(each.process.pid))
    return worker


def is_whole(service: Served) -> bool:
    """Tell whether each target has one finished run, and nothing is left."""
    (folder,) = audits()
    found = document(folder)["targets"]
    return (
        {each["state"] for each in found} == {"finished"}
        and names_in(folder / "runs") == {each["name"] for each in found}
        and names_in(folder / "unfinished") == set()
        and service.live == 0
    )


def test_tokens_are_with_the_workers_alone(folder: Path, dask: Cluster) -> None:
    from distributed import Client

    with waiting() as (service, gate), served() as other:
        write(held(service), target("other", other.base_url, PUBLIC))
        with audit(folder, dask) as started:
            assert gate.reached.wait(PATIENCE)
            started.awaits("other  ")
            with Client(dask.address, set_as_default=False) as client:
                client.dump_cluster_state(str(folder / "state"))
                logs = str([client.get_scheduler_logs(), client.get_worker_logs(), client.get_events()])
            dumped = gzip.decompress((folder / "state.msgpack.gz").read_bytes())
            gate.open.set()
            assert started.ended() == 0, started.err
        assert (service.live, other.live) == (0, 0)
    names = {each["name"]: each["state"] for each in document()["targets"]}
    assert names == {"held": "finished", "other": "finished"}
    assert b"run-" in dumped  # the keys of the tasks
    said = "".join(each.out + each.err for each in [started, *dask.processes])
    files = [each for each in [*Path("audits").rglob("*"), *dask.folder.rglob("*")] if each.is_file()]
    everything = [
        dumped,
        (logs + said).encode(),
        *(each.read_bytes() for each in files),
    ]
    for token in (TOKEN, OTHER_TOKEN):
        assert not any(token.encode() in each for each in everything)


def test_another_worker_repeats_the_run_of_one_that_ends(folder: Path, dask: Cluster) -> None:
    with waiting() as (service, gate):
        write(held(service))
        with audit(folder, dask) as started:
            assert gate.reached.wait(PATIENCE)
            worker = at_work(dask)
            # As a machine ends, with its runs: another worker deletes what is left.
            send(signal.SIGKILL, worker.process.pid, *descendants(worker.process.pid))
            assert service.live > 0
            gate.open.set()
            assert started.ended() == 0, started.err
        assert is_whole(service)
    dask.workers.remove(worker)


def test_an_interrupted_audit_leaves_nothing(folder: Path, dask: Cluster) -> None:
    with waiting() as (service, gate):
        # A slow run: the worker looks from time to time whether the audit was interrupted.
        write(held(service, "held", "rate = 3"), target("later", f"{service.base_url}/later", PUBLIC))
        with audit(folder, dask) as started:
            assert gate.reached.wait(PATIENCE)
            started.process.send_signal(signal.SIGINT)
            started.awaits("Interrupted: no new runs")
            gate.open.set()
            assert started.ended() == 3, started.err
        assert service.live == 0
    assert "Interrupted: 0 of 2 runs finished. To continue: " in started.err
    assert names_in(audits()[0]) == {"unfinished"}
    assert names_in(audits()[0] / "unfinished") == set()


def test_the_runs_of_an_audit_that_is_killed_clean_up(
    folder: Path, command: Command, dask: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests: list[str] = []
    place = "conformance.fleet.audit.cluster.received"
    monkeypatch.setattr(place, lambda _job, found, files: digests.append(files) or found)
    with waiting() as (service, gate):
        write(held(service))
        with audit(folder, dask) as started:
            assert gate.reached.wait(PATIENCE)
            started.process.kill()
        assert service.live > 0
        gate.open.set()
        again = command("audit", "targets.toml", "--dask", dask.address)
        assert (again.code, [each[:7] for each in digests]) == (0, ["sha256:"]), again.err
        assert is_whole(service)


def test_a_scheduler_that_comes_back_gets_the_runs_again(folder: Path, dask: Cluster) -> None:
    with waiting() as (service, gate):
        write(held(service))
        with audit(folder, dask, DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="300s") as started:
            assert gate.reached.wait(PATIENCE)
            send(signal.SIGKILL, dask.scheduler.process.pid)
            gate.open.set()
            for each in dask.workers:
                each.ended()
            assert service.live == 0
            dask.begin()
            assert started.ended() == 0, started.err
        assert is_whole(service)


def test_workers_that_end_together_with_their_scheduler_end(folder: Path, dask: Cluster) -> None:
    ending = [dask.scheduler, *dask.workers]
    with waiting() as (service, gate):
        write(held(service))
        with audit(folder, dask, DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="1s") as started:
            assert gate.reached.wait(PATIENCE)
            send(signal.SIGINT, *(each.process.pid for each in ending))
            gate.open.set()
            assert started.ended() == 3, started.err
            for each in ending:
                each.ended()
        assert "The scheduler does not answer any more. 0 of 1 run finished." in started.err
        assert service.live == 0
