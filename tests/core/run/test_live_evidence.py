"""The evidence of a run that is killed: its digests are those of a chain, up to the last line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from whole_runs import Silent, only, session_over

from conformance.calibration.faults import FAULTS
from conformance.cli import main
from conformance.model.exchange import Superseded
from conformance.model.verdict import Outcome
from conformance.run.check import check
from conformance.run.live_evidence import FILE, entries, live_evidence, unfinished
from conformance.run.verify import judge_unfinished
from conformance.scenarios.registry import Scenario
from conformance.trace import har
from conformance.trust import chain


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a run writes while it runs."""
    folder = tmp_path_factory.mktemp("live")
    with session_over(in_turn=False) as session, live_evidence(folder, session, only("4.3")):
        check(session, only("4.3"), Silent())
        lines = (folder / FILE).read_text("utf-8")
    assert not (folder / FILE).exists()
    return lines


@pytest.fixture
def left(lines: str, tmp_path: Path) -> Path:
    """The folder of a killed run, with the lines that it had written."""
    (tmp_path / FILE).write_text(lines[:-100], "utf-8")
    return tmp_path


def verified(folder: Path, *options: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(folder), *options])
    return int(ended.value.code or 0)


def test_what_a_killed_run_left_verifies_up_to_its_end(left: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = list(entries(left / FILE))
    written = [each for each in lines if "_id" in each]
    assert [each["_ended"] for each in written] == [*range(1, len(written) + 1)]
    assert list(chain.unlinked(lines)) == []
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


def test_what_the_run_learns_later_of_an_exchange_is_written(tmp_path: Path) -> None:
    with session_over(in_turn=False) as session, live_evidence(tmp_path, session, only("4.3")):
        on_end = session.results.on_end

        def learn(scenario: Scenario[Any]) -> None:
            session.record.exchanges[0].supersede(Superseded.EXPIRED)
            on_end(scenario)

        session.results.on_end = learn
        check(session, only("4.3"), Silent())
        _, evidence = unfinished(entries(tmp_path / FILE))

    superseded = {each.id: each.superseded for each in har.exchanges_of(evidence)}
    assert superseded.pop("e1") is Superseded.EXPIRED
    assert set(superseded.values()) == {None}


@pytest.fixture(scope="module")
def of_a_fault(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], dict[str, str]]:
    """The lines of a run against a service with a fault, and its verdicts."""
    folder, plan = tmp_path_factory.mktemp("fault"), only("4", "8-accepts-up-to-limit")
    with (
        session_over(bend=FAULTS["deletes-the-oldest"], account_is_empty=True) as session,
        live_evidence(folder, session, plan),
    ):
        run = check(session, plan, Silent())
        lines = (folder / FILE).read_text("utf-8").splitlines(keepends=True)
    return lines, {row.id: row.verdict for row in run.report.requirements}


@pytest.mark.parametrize("share", [0.02, 0.4, 1.0])
def test_a_killed_run_never_conforms_and_fails_for_what_it_had_recorded(
    of_a_fault: tuple[list[str], dict[str, str]], share: float
) -> None:
    lines, verdicts = of_a_fault
    left = [json.loads(each) for each in lines[: int(share * len(lines))]]

    run, is_same_build = judge_unfinished(iter(left))

    assert is_same_build
    assert run.report.outcome in (Outcome.DOES_NOT_CONFORM, Outcome.INCONCLUSIVE)
    assert not run.report.complete
    found = {row.id: row.verdict for row in run.report.requirements}
    failed = {name for name, verdict in found.items() if verdict == "fail"}
    assert failed <= {name for name, verdict in verdicts.items() if verdict == "fail"}
    if share == 1.0:
        assert run.report.outcome is Outcome.DOES_NOT_CONFORM


@pytest.mark.parametrize("member", ["_report", "_run", "results"])
def test_lines_that_the_suite_did_not_write_are_unreadable(
    of_a_fault: tuple[list[str], dict[str, str]], member: str, tmp_path: Path
) -> None:
    lines, before = [json.loads(each) for each in of_a_fault[0]], ""
    for line in lines:
        if member in line:
            line[member] = 7
        line[chain.DIGEST] = before = chain.link(line, before)
    (tmp_path / FILE).write_text("".join(f"{json.dumps(each)}\n" for each in lines), "utf-8")
    assert verified(tmp_path, "--unfinished") == 2
