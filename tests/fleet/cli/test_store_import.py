"""What somebody sent says no more in a store, a site or a register than its evidence gives.

Each test is an attack on who keeps a store: a forged export, a forged bundle, or rights that a file claims.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bundles
import pytest
from cli_services import Command

from conformance.fleet.store import transfer
from conformance.fleet.store.store import Store
from conformance.reports import files
from conformance.trust import chain

pytestmark = pytest.mark.usefixtures("run")


def cleaned(report: dict[str, Any]) -> None:
    """Let a report say that the service conforms."""
    report["outcome"] = "conforms-in-part"
    report["summary"]["verdicts"] = {**report["summary"]["verdicts"], "fail": 0}
    for row in report["requirements"]:
        if row["verdict"] == "fail":
            row |= {"verdict": "pass", "findings": []}


def of_another_build(report: dict[str, Any]) -> None:
    """Let a report say that another build made it, and that the service conforms."""
    cleaned(report)
    report["suite"]["build"] = "sha256:" + "0" * 64


FORGERIES = [
    (cleaned, "is not what its evidence gives"),
    (of_another_build, "was not computed again: expected a run of this build"),
]


def forged(run: Path, how: Callable[[dict[str, Any]], None]) -> Path:
    """Change the report of a run, with digests and pages that fit, as who knows the suite would."""
    report = json.loads((run / files.DATA).read_bytes())
    how(report)
    evidence = json.loads((run / files.EVIDENCE).read_bytes())
    folder = run.with_name("forged")
    files.write(folder, chain.resealed(report), evidence, ("html",))
    return folder


def exported(run: Path, target: str = "bank") -> Path:
    """Write the export of a store of somebody who adds a run as it is."""
    with Store.open("theirs.sqlite", create=True) as store:
        store.add_run(run, target=target)
        transfer.export(store, Path("theirs"))
    return Path("theirs")


@pytest.mark.parametrize(("how", "said"), FORGERIES, ids=lambda each: getattr(each, "__name__", ""))
def test_a_forged_run_is_refused(
    how: Callable[[dict[str, Any]], None], said: str, command: Command, folder: Path
) -> None:
    place = forged(folder / "run", how)
    bundles.written(folder / "forged.drsi.zip", bundles.packed(place))

    done = command("store", "import", "own.sqlite", str(exported(place)))
    assert (done.code, "own.sqlite: 0 runs" in done.out) == (1, True)
    assert said in done.err
    assert "Traceback" not in done.err
    done = command("store", "add", "own.sqlite", "forged.drsi.zip")
    assert (done.code, said in done.err) == (2, True)
    assert command("site", "own.sqlite", "public").out.startswith("0 services, 0 failing")


def test_an_honest_run_is_imported_and_published_once_accepted(command: Command, folder: Path) -> None:
    private = bundles.key(folder)
    key = str(private.with_suffix(".pub"))
    for words in (
        ("add", "theirs.sqlite", "run", "--target", "bank"),
        ("publish", "theirs.sqlite", "bank", "--consent", "letter"),
        ("party", "theirs.sqlite", "--name", "National Audit Office", "--key", key),
        ("export", "theirs.sqlite", "theirs"),
    ):
        assert command("store", *words).code == 0

    done = command("store", "import", "own.sqlite", "theirs")
    said = "own.sqlite: 1 run of theirs\n3 proposals: 'store accept own.sqlite' lists them.\n"
    assert (done.code, done.out, done.err) == (0, said, "")
    listed = command("store", "accept", "own.sqlite").out
    assert " is that of 'National Audit Office', independent of the services" in listed
    assert "'bank' may be published by 'consent': 'letter'" in listed
    assert ", from the run of '20" in listed
    assert "1 imported run of 'bank', at http://localhost/api/v1, as if added by you" in listed

    register = ("site", "own.sqlite", "register", "--register", "--sign", str(private))
    for line in listed.splitlines():
        assert command(*register).out.startswith("0 services")
        assert command("store", "accept", "own.sqlite", line.split()[0]).out.startswith("Accepted: ")
    assert command(*register).out.startswith("1 service, 1 status document")
    assert command("store", "accept", "own.sqlite").out == ""
