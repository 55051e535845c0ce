"""`audit --dask tls://…`: a scheduler and a worker that talk by TLS, and clients that they refuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import tls
from audited import PUBLIC, TOKENS, document, held, target, write
from cli_services import Started, refusing, served
from clustered import Cluster, cluster
from platforms import POSIX_SIGNALS
from tls import Authority

pytestmark = [pytest.mark.usefixtures("folder"), POSIX_SIGNALS]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def authority(place: Path) -> Authority:
    return Authority(place, "authority")


@pytest.fixture(scope="module")
def dask(place: Path, authority: Authority) -> Iterator[Cluster]:
    with cluster(place, workers=1, authority=authority, **TOKENS) as started:
        yield started


def audited(folder: Path, address: str, environment: Mapping[str, str]) -> tuple[int, str]:
    """Make an audit with an environment; return its exit code, and what it says."""
    # A refused client tries again for this time.
    patience = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s"}
    with Started(folder, "audit", "targets.toml", "--dask", address, **patience, **environment) as started:
        return started.ended(), started.err


def test_runs_are_made_over_tls(folder: Path, dask: Cluster, authority: Authority) -> None:
    with served() as service:
        write(held(service))
        code, said = audited(folder, dask.address, tls.settings(authority, "client", authority.issued("client")))
        assert (code, service.live) == (0, 0), said
    (found,) = document()["targets"]
    assert found["state"] == "finished"


@pytest.mark.parametrize("trusted", ["its own authority", "the authority of the cluster"])
def test_a_client_with_a_certificate_of_another_authority_is_refused(
    folder: Path, dask: Cluster, authority: Authority, tmp_path: Path, trusted: str
) -> None:
    other = Authority(tmp_path, "other")
    trusts = other if trusted == "its own authority" else authority
    write(target("a", refusing(), PUBLIC))
    code, said = audited(folder, dask.address, tls.settings(trusts, "client", other.issued("client")))
    assert code == 2
    assert f"Error: --dask: No scheduler of Dask can be used at {dask.address}: " in said
    assert "for tls:// the TLS settings of Dask." in said
    assert "No service was contacted." in said
    assert "Traceback" not in said


def test_a_client_without_tls_is_refused(folder: Path, dask: Cluster) -> None:
    write(target("a", refusing(), PUBLIC))
    code, said = audited(folder, dask.address.replace("tls://", "tcp://"), {})
    assert code == 2
    assert "Error: --dask: No scheduler of Dask can be used at tcp://" in said
    assert "Traceback" not in said
