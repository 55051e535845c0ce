"""The SQL and the commands of docs/store.md work as they stand there."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

from sqlalchemy import inspect, text
from stored_runs import recorded_run

from conformance.fleet.store import Store

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/store.md").read_text("utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
(DATASETTE,) = re.findall(r"^datasette .*", PAGE, re.MULTILINE)
FACETS = json.loads((ROOT / "docs/datasette.json").read_bytes())["databases"]["audits"]["tables"]


def filled(store: Store, folder: Path) -> None:
    """Add two runs of a service, of which the second one failed."""
    store.add_run(recorded_run(folder / "first", 1), target="example")
    store.add_run(recorded_run(folder / "second", 2, failing=["4.3-answers-ok"]), target="example")


def test_each_query_has_an_answer(store: Store, tmp_path: Path) -> None:
    filled(store, tmp_path)

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


def test_datasette_counts_by_the_columns_that_are_named(tmp_path: Path) -> None:
    with Store.open(tmp_path / "audits.sqlite", create=True) as store:
        filled(store, tmp_path)
        with store.database.reading() as connection:
            columns = {view: {each["name"] for each in inspect(connection).get_columns(view)} for view in FACETS}
    program, file, *options = shlex.split(DATASETTE)
    options[options.index("docs/datasette.json")] = str(ROOT / "docs/datasette.json")
    command = [str(Path(sys.executable).with_name(program)), file, *options, "--get", "/audits/latest_verdicts.json"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    counts = {name: each["results"] for name, each in json.loads(done.stdout)["facet_results"].items()}
    assert list(counts) == FACETS["latest_verdicts"]["facets"]
    assert {each["value"]: each["count"] for each in counts["verdict"]}["fail"] == 1
    for view, shown in FACETS.items():
        assert {*shown["facets"], *(shown[name] for name in ("sort", "sort_desc") if name in shown)} <= columns[view]
