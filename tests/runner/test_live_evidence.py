"""The evidence of a run that is killed: its digests are those of a chain, up to the last line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from whole_runs import Silent, only, session_over

from conformance.cli import main
from conformance.evidence import chain
from conformance.runner.live_evidence import FILE, entries, live_evidence
from conformance.runner.run import check


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a run writes while it runs."""
    folder = tmp_path_factory.mktemp("live")
    with session_over(in_turn=False) as session, live_evidence(folder, session):
        check(session, only("4.3"), Silent())
        lines = (folder / FILE).read_text("utf-8")
    assert not (folder / FILE).exists()
    return lines


@pytest.fixture
def left(lines: str, tmp_path: Path) -> Path:
    """The folder of a killed run, with the lines that it had written."""
    (tmp_path / FILE).write_text(lines[:-100], "utf-8")
    return tmp_path


def verified(folder: Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(folder)])
    return int(ended.value.code or 0)


def test_what_a_killed_run_left_verifies_up_to_its_end(left: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = list(entries(left / FILE))
    assert [each["_ended"] for each in written] == [*range(1, len(written) + 1)]
    assert list(chain.unlinked(written)) == []
    assert "alice" not in (left / FILE).read_text("utf-8").lower()

    assert verified(left) == 0
    said = f"The run was killed and decided nothing; {len(written)} exchanges recorded, the last at 2026-03-14T"
    assert capsys.readouterr().out.startswith(said)


@pytest.mark.parametrize("what", ["altered", "removed", "swapped"])
def test_alterations_of_it_are_found(left: Path, what: str) -> None:
    lines = (left / FILE).read_text("utf-8").split("\n")
    if what == "altered":
        lines[3] = json.dumps({**json.loads(lines[3]), "time": 0.001})
    elif what == "removed":
        del lines[3]
    else:
        lines[3], lines[4] = lines[4], lines[3]
    (left / FILE).write_text("\n".join(lines), "utf-8")

    assert verified(left) == 1


def test_another_file_is_unreadable(left: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (left / FILE).write_text('{"_id": 1}\n{}\n', "utf-8")
    assert verified(left) == 2
    assert "cannot be read as the evidence of a run" in capsys.readouterr().err


def test_a_run_that_uses_no_token_is_recorded_although_tokens_were_given(tmp_path: Path) -> None:
    plan = replace(only("2.3"), profile="public")
    with session_over(in_turn=False) as session, live_evidence(tmp_path, session):
        assert session.credentials
        check(session, plan, Silent())
        written = list(entries(tmp_path / FILE))

    assert len(written) == len(session.record)
