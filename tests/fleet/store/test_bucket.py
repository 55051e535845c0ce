"""The evidence of a store in a bucket of S3, at a server on this machine that speaks its protocol."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bucket
import pytest
from bucket import Bucket
from stored_runs import recorded_run

from conformance.cli import main
from conformance.cli.recorded import read_report
from conformance.fleet.store.store import Store

EVIDENCE = f"s3://{bucket.NAME}/evidence"


@pytest.fixture(scope="module")
def at() -> Iterator[Bucket]:
    with bucket.served() as served:
        yield served


@pytest.fixture(autouse=True)
def _environment(at: Bucket, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in at.environment.items():
        monkeypatch.setenv(name, value)
    yield
    forget()


def forget() -> None:
    """Let fsspec read the environment again."""
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [recorded_run(tmp_path / f"run-{day}", day, text=tmp_path.name) for day in range(1, 4)]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return str(tmp_path / "audits.sqlite")


@pytest.fixture
def evidence(request: pytest.FixtureRequest) -> str:
    return f"{EVIDENCE}/{request.node.name}"


def test_bundles_are_put_read_and_removed(at: Bucket, url: str, evidence: str, runs: list[Path]) -> None:
    with Store.open(url, evidence, create=True) as store:
        for run in runs:
            number = store.add_run(run, target="example")
        store.add_run(runs[-1], target="example")  # it is there once
        digests = [each.bundle for each in store.runs("example")]
    place = evidence.removeprefix("s3://")
    assert set(at.names(evidence)) == {f"{place}/{digest[:2]}/{digest}.drsi.zip" for digest in digests}

    with Store.open(url) as store:  # it knows where they are
        assert store.report(number) == read_report(runs[-1])
        assert store.keep(1) == 2
    assert len(at.names(evidence)) == 1


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"AWS_SECRET_ACCESS_KEY": "wrong"}, "Forbidden"),
        ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "Unable to locate credentials"),
    ],
)
def test_wrong_credentials_end_with_a_message(
    changed: dict[str, str],
    reason: str,
    url: str,
    runs: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in changed.items():
        monkeypatch.setenv(name, value)
    forget()
    with pytest.raises(SystemExit) as ended:
        main(["store", "add", url, str(runs[0]), "--evidence", EVIDENCE])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert f"Evidence at {EVIDENCE} cannot be written: {reason}" in said
    assert "Give access to that place, or name another one." in said
    assert "Traceback" not in said
    with Store.open(url) as store:
        assert list(store.latest_runs()) == []
