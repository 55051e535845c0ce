"""`selftest --command`: which mistakes a user's own tests catch, and which legal services they refuse."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cli_services import Command, Result

from conformance.calibration.own_tests import FILE, OtherResults, Runner, earlier
from conformance.calibration.run_one import REFERENCE_JOB

DELETES = """
import json, os, sys, urllib.error, urllib.request

open({calls!r}, "a").write("x")

def call(method, path):
    address, token = os.environ["DRSI_BASE_URL"] + path, sys.argv[1]
    request = urllib.request.Request(address, method=method, headers={{"Authorization": f"Bearer {{token}}"}})
    with urllib.request.urlopen(request) as answer:
        # The service writes the date by its own clock, as where the command serve serves it.
        assert (len(answer.headers.get_all("Date")), answer.headers["Server"]) == (1, None)
        return answer.read()

created = json.loads(call("POST", "/requests"))
print("<b>deleting</b>")
assert call("DELETE", "/requests/" + created["requestId"]) == b"OK"
assert created["requestId"][14] == "4", "no version 4"
"""
CAUGHT, MISSED = "delete-answers-okay", "settings-supported-lanaguages-null"
REFUSED, ACCEPTED = "random-identifiers-version-7", "tokens-are-uuids"
SERVICES = (CAUGHT, MISSED, REFUSED, ACCEPTED)


@pytest.fixture(name="line")
def _line(tmp_path: Path) -> str:
    """A command that looks at a deletion and at the version of an identifier, and counts its runs."""
    script = tmp_path / "tests.py"
    script.write_text(DELETES.format(calls=str(tmp_path / "calls")), "utf-8")
    return f"{sys.executable} {script} {{token}}"


def tried(command: Command, line: str, folder: Path, *more: str) -> Result:
    only = (part for name in SERVICES for part in ("--only", name))
    return command("selftest", "--command", line, *only, "--output", str(folder), "--quiet", *more)


def test_the_page_says_what_the_tests_catch_and_refuse_and_a_later_call_goes_on(
    command: Command, line: str, tmp_path: Path
) -> None:
    done = tried(command, line, tmp_path / "own")
    data = json.loads((tmp_path / "own" / "own-tests.json").read_text("utf-8"))
    page = (tmp_path / "own" / "own-tests.html").read_text("utf-8")

    assert done.code == 0, done.err
    assert (data["caught"], data["accepted"]) == ({"kept": 1, "of": 2}, {"kept": 1, "of": 2})
    assert {each["name"] for each in data["services"] if each["code"] != 0} == {CAUGHT, REFUSED}
    assert f"serve --fault {MISSED}" in page
    assert f"serve --twin {REFUSED}" in page
    assert "no version 4" in page
    assert "&lt;b&gt;deleting" in page
    assert CAUGHT not in page
    assert "4.3 DELETE /requests/{requestId}                1 of 1" in done.out
    assert "1 of 2              1 of 2" in done.out.splitlines()[-4]

    # A later call of the same command goes on where the first one ended.
    results, calls = tmp_path / "own" / FILE, tmp_path / "calls"
    results.write_text(json.dumps(data | {"services": data["services"][:2]}), "utf-8")
    calls.unlink()
    again = tried(command, line, tmp_path / "own")

    assert again.code == 0, again.err
    assert calls.read_text("utf-8") == "xxx"  # the reference service, and two that were not tried
    assert again.out.splitlines()[-4].split() == ["Total", "1", "of", "2", "1", "of", "2"]
    assert len(earlier(tmp_path / "own", line)) == len(SERVICES)

    refused = tried(command, f"{line} again", tmp_path / "own")
    assert (refused.code, "results of another command" in refused.err) == (2, True)


def test_a_command_that_does_not_end_is_ended_and_counts_as_neither() -> None:
    running = Runner(f"{sys.executable} -c 'import time; time.sleep(600)'", timeout=0.3)
    found = running.attempt(REFERENCE_JOB)

    assert found.code is None
    assert not found.is_right


def test_a_broken_file_of_results_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("no JSON\n", "utf-8")

    with pytest.raises(OtherResults):
        earlier(tmp_path, "true")
