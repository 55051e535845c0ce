"""The SQL and the commands of docs/store.md work as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

from postgres import EACH_DATABASE
from sqlalchemy import inspect, text
from stored_runs import recorded_run

from conformance.fleet.store.store import Store

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/store.md").read_text("utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)


@EACH_DATABASE
def test_each_query_has_an_answer(store: Store, tmp_path: Path) -> None:
    store.add_run(recorded_run(tmp_path / "first", 1), target="example")
    store.add_run(recorded_run(tmp_path / "second", 2, failing=["4.3-answers-ok"]), target="example")
    with store.database.reading() as connection:
        found = [connection.execute(text(query)).all() for query in QUERIES]
    assert [len(rows) for rows in found] == [1, 1, 1, 0]
    assert found[2][0].target == "example"


def test_tables_and_views_have_the_columns_that_are_named(store: Store) -> None:
    described = dict(re.findall(r"^\| `([a-z_]+)` \| (.*) \|$", PAGE, re.MULTILINE))

    with store.database.reading() as connection:
        found = inspect(connection)
        for name, row in described.items():
            columns = {each["name"] for each in found.get_columns(name)}
            named = set(re.findall(r"`([a-z_]+)`", row)) - {"failing_requirements"}
            assert named <= columns, name
        every = {*found.get_table_names(), *found.get_view_names()}
    assert {*described} == every - {"settings", "store_schema"}
