"""Write the dump of the schema of this version beside this file: python tests/fleet/store/released/dump.py.

Do it once, before a release with a new schema. A released dump stays as it is.
"""

import sqlite3
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2] / "support"))

import bundles  # noqa: E402 - a helper of the tests

from conformance.fleet.store import Store, tables  # noqa: E402

with tempfile.TemporaryDirectory() as place:
    file = Path(place) / "audits.sqlite"
    with Store.open(file, create=True) as store:
        store.add_run(bundles.recorded(Path(place) / "run"), target="example", audit=store.begin_audit("February"))
    connection = sqlite3.connect(file)
    text = "\n".join(line.rstrip() for statement in connection.iterdump() for line in statement.splitlines())
    connection.close()
(HERE / f"schema_{tables.SCHEMA}.sql").write_text(f"{text}\n", "utf-8")
