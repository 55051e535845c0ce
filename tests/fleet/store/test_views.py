"""The views: what is so now, what fails since when, and what got worse. They are the same in both databases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from postgres import EACH_DATABASE
from sqlalchemy import inspect, text
from stored_runs import recorded_run

from conformance.fleet.store.store import Store
from conformance.model.verdict import Verdict

DELETE, READ = "4.3-answers-ok", "4.2-answers-200"
PASS, FAIL, OPEN = Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE


def day(number: int) -> str:
    return f"2026-02-{number:02}T12:00:00.000Z"


HISTORIES = {
    "got-worse": (PASS, FAIL),
    "got-worse-unseen": (PASS, OPEN, FAIL),
    "still-failing": (PASS, FAIL, OPEN, FAIL),
    "always-failing": (FAIL, FAIL),
    "repaired": (FAIL, PASS),
    "fine": (PASS,),
}
"""What each run of each service decided on DELETE."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Path]]:
    """The runs of these services, each with its target. No test changes them."""
    folder = tmp_path_factory.mktemp("histories")
    return [
        (
            target,
            recorded_run(
                folder / f"{target}-{number}",
                number,
                failing=[DELETE] if verdict is FAIL else [],
                undecided=[DELETE] if verdict is OPEN else [],
                base_url=f"https://{target}.example",
            ),
        )
        for target, decided in HISTORIES.items()
        for number, verdict in enumerate(decided, 1)
    ]


@EACH_DATABASE
def test_what_got_worse_and_since_when_it_fails(store: Store, recorded: list[tuple[str, Path]]) -> None:
    """A regression was passed by the last run that decided it; a failure counts from the first one after that."""
    for target, run in recorded:
        store.add_run(run, target=target)

    found = {each.target: each for each in store.regressions()}
    assert found.keys() == {"got-worse", "got-worse-unseen"}
    assert [(each.requirement, each.started_before) for each in found.values()] == [(DELETE, day(1))] * 2
    unseen = found["got-worse-unseen"]
    said = "The settings lack what the clause demands."
    assert (unseen.started, unseen.since, unseen.message) == (day(3), day(3), said)
    assert unseen.suite_build == unseen.suite_build_before != ""
    assert [each.id for each in store.runs(unseen.target)][::2] == [unseen.run, unseen.run_before]

    assert {each.target: each.since for each in store.failing_requirements()} == {
        "got-worse": day(2),
        "got-worse-unseen": day(3),
        "still-failing": day(2),
        "always-failing": day(1),
    }


@pytest.mark.parametrize(("run", "is_listed"), [("12:00:00.200", True), ("13:00:00.000", False)])
def test_a_run_in_the_second_in_which_an_audit_begins_is_older(
    store: Store, tmp_path: Path, run: str, is_listed: bool
) -> None:
    made = recorded_run(tmp_path / "run", changes={"started": f"2026-02-01T{run}Z", "finished": "2026-02-01T14:00:00Z"})
    store.add_run(made, target="gone")
    other = store.begin_audit(started="2026-02-01T12:00:00Z")
    store.set_unreported(other, {"gone": ("unreachable", "No answer.")})

    assert [each.target for each in store.unreported_since()] == ["gone"] * is_listed


@EACH_DATABASE
def test_the_documentation_has_queries_with_answers_and_each_column(store: Store, tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs/store.md").read_text("utf-8")
    store.add_run(recorded_run(tmp_path / "first", 1), target="example")
    store.add_run(recorded_run(tmp_path / "second", 2, failing=["4.3-answers-ok"]), target="example")
    with store.database.reading() as connection:
        queries = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
        assert [len(connection.execute(text(query)).all()) for query in queries] == [1, 1, 1, 0]

        found = inspect(connection)
        described = dict(re.findall(r"^\| `([a-z_]+)` \| (.*) \|$", page, re.MULTILINE))
        for name, row in described.items():
            named = set(re.findall(r"`([a-z_]+)`", row)) - {"failing_requirements"}
            assert named <= {each["name"] for each in found.get_columns(name)}, name
        assert {*described, "settings", "store_schema"} == {*found.get_table_names(), *found.get_view_names()}
