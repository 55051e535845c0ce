"""The options that users of pytest know do with the checks what they do with every test."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli_services import TOKEN, served
from plain_pytest import Run, limit_in_the_sequences, outcomes
from platforms import POSIX_SIGNALS

from conformance.calibration.faults import FAULTS
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

DELETION = "test_row[4.3-answers-ok]"
CLAUSE = ("-k", "4.3-")
HOSTILE = "</td></script><img src=x onerror=alert(1)>\x1b[31m\u202e"
Wrong = FAULTS["delete-answers-202"].service


class Hostile(Service):
    """Sends markup and control characters, and the token that it received."""

    def settings(self, call: Call) -> Any:
        return {**super().settings(call), "organisationName": 1, "oAuthUrl": HOSTILE}

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        reply.headers["x-banner"] = "<img src=x onerror=alert(3)>"
        reply.headers["x-token"] = TOKEN
        return reply


def test_a_failure_names_requirement_basis_finding_fix_and_calls_and_no_token(run_checks: Run, folder: Path) -> None:
    with served(Wrong) as service:
        result = run_checks(service.base_url, *CLAUSE, "--showlocals", "-rs", "--junitxml", "junit.xml")
        assert service.live == 0
    assert result.code == pytest.ExitCode.TESTS_FAILED
    for part in (
        "4.3-answers-ok (must): Deleting a request has the wrong status",
        "basis: Stated in 4.3, paragraph 1",
        "expected: status 200",
        "actual: status 202",
        "fix: Find every request that POST returned",
        f'curl -i -X DELETE -H "Authorization: Bearer $DRSI_TOKEN" {service.base_url}/requests/',
        "4.3-media-type is inconclusive: DELETE /requests/",
    ):
        assert part in result.out, result.out
    assert TOKEN not in result.out + result.err

    assert outcomes(folder / "junit.xml")[DELETION] == "failure"
    cases = ElementTree.parse(folder / "junit.xml").iter("testcase")
    case = next(each for each in cases if each.attrib["name"] == DELETION)
    named = {each.attrib["name"]: each.attrib["value"] for each in case.iter("property")}
    assert (named["requirement"], named["level"], named["verdict"]) == ("4.3-answers-ok", "must", "fail")
    assert named["expected"] == "status 200"
    assert named["fix"]


def test_the_page_of_pytest_html_shows_the_finding_and_nothing_of_the_service_is_alive(
    run_checks: Run, folder: Path
) -> None:
    with served(Hostile) as service:
        run_checks(service.base_url, "-k", "2.3- or 4.3-answers-ok", "--html", "page.html", "--self-contained-html")
    page = (folder / "page.html").read_text("utf-8")
    blob = re.search(r'data-jsonblob="([^"]*)"', page)
    assert blob
    runs = [run for runs in json.loads(html.unescape(blob[1]))["tests"].values() for run in runs]
    text = json.dumps(runs)
    assert "2.3-organisationName (must)" in text
    assert "Stated in 4.3" in text
    assert any(extra["name"] == "exchanges" for run in runs for extra in run["extras"])
    assert "<img src=x" not in page + "".join(run["log"] for run in runs)
    assert not {"\x1b", "\u202e"} & set(page)
    assert TOKEN not in page


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (("-p", "no:cacheprovider", "--tb=line"), "4.3-answers-ok (must)"),
        (("-n", "2", "-p", "xdist.plugin"), "Add -n 0"),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) else None,
)
def test_options(run_checks: Run, options: tuple[str, ...], shown: str) -> None:
    with served(Wrong) as service:
        result = run_checks(service.base_url, *CLAUSE, *options)
        assert service.live == 0
    assert shown in result.out + result.err
    assert result.code != 0


@POSIX_SIGNALS
def test_a_time_limit_inside_generated_sequences_ends_one_test(run_checks: Run, folder: Path) -> None:
    with served() as service, limit_in_the_sequences():
        result = run_checks(service.base_url, "-k", "test_no_sequence_shows", "--junitxml", "junit.xml")

    assert result.code == pytest.ExitCode.TESTS_FAILED
    found = Counter(outcomes(folder / "junit.xml").values())
    assert found.pop("failure") == 1
    assert {*found} <= {"skipped", "passed"}
    assert "Timeout (>1.0s)" in result.out
    assert "crashed" not in result.out


def test_last_failed_repeats_a_failure_and_failed_first_begins_with_it(run_checks: Run) -> None:
    with served(Wrong) as service:
        run_checks(service.base_url, *CLAUSE)
        again = run_checks(service.base_url, *CLAUSE, "--lf")
        first = run_checks(service.base_url, *CLAUSE, "--ff", "-v")
    assert "1 failed" in again.out
    assert re.search(rf"{re.escape(DELETION)} FAILED", first.out)


def test_pdb_opens_the_debugger_in_the_check_for_a_failure_only(
    run_checks: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(folder)
    (folder / "debugger.py").write_text(
        "class Debugger:\n"
        "    quitting = False\n"
        "    def __init__(self, *_, **__): pass\n"
        "    def reset(self): pass\n"
        "    def setup(self, *_): pass\n"
        "    def interaction(self, _, trace):\n"
        "        names = []\n"
        "        trace = getattr(trace, '__traceback__', trace)\n"
        "        while trace:\n"
        "            names.append(trace.tb_frame.f_code.co_name)\n"
        "            trace = trace.tb_next\n"
        "        with open('entered', 'a') as file: file.write(' '.join(names) + '\\n')\n"
    )
    with served(Wrong) as service:
        run_checks(service.base_url, *CLAUSE, "--pdb", "--pdbcls", "debugger:Debugger")
    entered = (folder / "entered").read_text().splitlines()
    assert len(entered) == 1
    assert DELETION.partition("[")[0] in entered[0]


def test_hooks_and_markers_of_the_user_apply_to_checks(run_checks: Run, folder: Path) -> None:
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = mine\npython_functions = check_*\n")
    (folder / "conftest.py").write_text(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        f"    [item.add_marker('mine') for item in items if item.name == {DELETION!r}]\n"
        "def pytest_terminal_summary(terminalreporter):\n"
        "    for report in terminalreporter.stats['passed']:\n"
        "        terminalreporter.line(f'reported {dict(report.user_properties).get(\"requirement\")}')\n"
        "@pytest.fixture(autouse=True)\n"
        "def around(request):\n"
        "    print('around', request.node.name)\n"
    )
    with served() as service:
        result = run_checks(
            service.base_url, "-m", "mine", "-s", "--rootdir", str(folder), "--confcutdir", str(folder), "."
        )
    assert result.code == 0, result.out
    assert f"around {DELETION}" in result.out
    assert "reported 4.3-answers-ok" in result.out
