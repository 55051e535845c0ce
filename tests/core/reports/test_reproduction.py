"""The reproduction scripts: run against services over HTTP."""

from __future__ import annotations

import ast
import copy
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli_services import OTHER_TOKEN, TOKEN, Response, answering, listening
from msgspec import convert
from notation import trace_in
from report_samples import typed
from whole_runs import only, run_over

from conformance.calibration.faults import FAULTS
from conformance.calibration.variant import REFERENCE, Variant
from conformance.model.errors import Probe, must_answer
from conformance.model.findings import Finding
from conformance.model.results import RequirementResult
from conformance.model.verdict import Blame, Verdict
from conformance.reference.config import ReferenceConfig, User
from conformance.reports.scripts import reproduction
from conformance.reports.scripts.calls import Recorded, calls_of
from conformance.run.documents import Documents
from conformance.trace.har import exchanges_of

REPRODUCED = (
    "context-null-in-one-answer-of-ten",
    "create-accepts-prefix-of-token",
    "first-type-only",
    "one-beyond-the-limit",
    "place-freed-after-a-moment",
    "read-shows-all-types",
)
"""Faults whose scripts need rounds, a credential, a creation, the limit, a deletion, and a creation to compare with.

`benchmarks/reproduction.py` tries every tenth fault.
"""

HOSTILE = "'; open('pwned', 'w') #\nopen('pwned', 'w')\"\"\"'''\\\r\x1b]0;pwned\x07\u2028\x0c coding: utf-7"


def code_of(text: str | None) -> str:
    """Return the syntax of a script without its plan, which holds nothing but data; the first lines are not obeyed."""
    assert text is not None
    assert text.splitlines()[1] == "# -*- coding: utf-8 -*-"
    tree = ast.parse(text)
    (plan,) = [each for each in tree.body if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "PLAN"]
    ast.literal_eval(plan.value)
    tree.body.remove(plan)
    return ast.dump(tree)


def script(
    report: dict[str, Any], evidence: dict[str, Any], row: dict[str, Any], finding: dict[str, Any]
) -> str | None:
    try:
        recorded = Recorded(exchanges_of(evidence))
    except ValueError:
        return None
    return reproduction.script(typed(report), recorded, convert(row, RequirementResult), convert(finding, Finding[str]))


def findings_of(name: str) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Check only the requirement of a fault; return the arguments of `script` for its first finding."""
    fault = FAULTS[name]
    run = run_over(bend=fault, plan=only(fault.requirement), account_is_empty=not fault.is_in_use)
    documents = Documents(run)
    (row,) = [row for row in documents.data["requirements"] if row["id"] == fault.requirement]
    return documents.data, documents.evidence, row, row["findings"][0]


def run_script(text: str, base_url: str, **environment: str) -> subprocess.CompletedProcess[str]:
    tokens = {"DRSI_TOKEN": TOKEN, "DRSI_OTHER_TOKEN": OTHER_TOKEN}
    environment = {"PATH": os.environ["PATH"], **tokens, **environment}
    return subprocess.run(
        [sys.executable, "-I", "-", base_url], input=text, capture_output=True, text=True, env=environment, check=False
    )


def run_at(variant: Variant, text: str) -> tuple[int, str, int]:
    """Run a script against a variant; return its exit code, its standard error and how many requests are left."""
    users = (User("alice.example", TOKEN), User("bob.example", OTHER_TOKEN))
    config = ReferenceConfig(users=users)
    app = variant.app(config)
    with listening(app) as origin:
        done = run_script(text, origin + variant.configured(config).path_prefix)
    assert TOKEN not in done.stdout
    return done.returncode, done.stderr, len(app.state.service.store.all())


@pytest.mark.parametrize("name", REPRODUCED)
def test_a_script_tells_a_fault_from_the_reference_and_cleans_up(name: str) -> None:
    text = script(*findings_of(name))
    assert text is not None
    assert run_at(FAULTS[name], text) == (1, "", 0)
    once = re.sub(r"'rounds': \d+", "'rounds': 1", text)
    assert run_at(replace(REFERENCE, config=FAULTS[name].config), once) == (0, "", 0)


@pytest.mark.parametrize(
    ("name", "config", "why"),
    [
        (
            "no-limit",
            {"max_requests": 8},
            "GET /settings shows another maxNumberOfRequests than when the run was recorded.",
        ),
        (
            "data-request-in-progress-no-completed-at-false",
            {"complete_after": 0.0},
            "the data request is completed.",
        ),
    ],
)
def test_other_settings_than_recorded_decide_nothing(name: str, config: dict[str, Any], why: str) -> None:
    text = script(*findings_of(name))
    assert text is not None
    assert run_at(replace(REFERENCE, config=config), text) == (2, f"Not tested: {why}\n", 0)


@pytest.fixture(scope="module")
def deletion() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]]:
    return findings_of("delete-answers-202")


def test_without_a_token_or_an_answer_a_script_says_so(deletion: Any) -> None:
    report, *rest = copy.deepcopy(deletion)
    report["run"]["options"]["app"] = "service:app"
    text = script(report, *rest)
    assert text is not None
    without = run_script(text, "http://127.0.0.1:9", DRSI_TOKEN="")
    assert (without.returncode, without.stdout) == (2, "")
    assert "DRSI_TOKEN" in without.stderr
    unreachable = run_script(text, "http://127.0.0.1:9")
    assert unreachable.returncode == 2
    assert "did not answer" in unreachable.stderr
    assert "drsi-conformance serve --app service:app" in unreachable.stderr
    assert "left behind" not in unreachable.stderr.lower()  # the creation was refused with the connection


def test_text_of_a_service_never_becomes_code(deletion: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report, evidence, row, finding = copy.deepcopy(deletion)
    ordinary = script(*deletion)
    monkeypatch.setattr(reproduction, "_shows", lambda *_: True)
    monkeypatch.chdir(tmp_path)
    finding |= dict.fromkeys(("message", "expected", "actual"), HOSTILE)
    row["statement"] = HOSTILE
    for entry in evidence["log"]["entries"]:
        entry["request"]["headers"].append({"name": f"X-{HOSTILE}", "value": HOSTILE})
        if "postData" in entry["request"]:
            entry["request"]["postData"]["text"] = f'["{HOSTILE}"]'
    probes = [
        {"kind": kind, "pointer": "/dataRequested", "values": (HOSTILE,), "optional": False}
        for kind in ("text", "media-type", "type", "equals", "among", "set")
    ]
    for probe in [finding["probe"], *probes]:
        text = script(report, evidence, row, {**finding, "probe": probe})
        assert text is not None
        assert code_of(text) == code_of(ordinary)
    run_at(REFERENCE, text)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda evidence, _: [entry.update(_id=f"{entry['_id']};touch pwned") for entry in evidence["log"]["entries"]],
        lambda evidence, _: [entry["request"].update(method="GET;x") for entry in evidence["log"]["entries"]],
        lambda _, finding: finding["probe"].update(pointer="/'; touch pwned"),
        lambda _, finding: finding["probe"].update(values=("2*) touch pwned",)),
    ],
)
def test_a_record_from_elsewhere_makes_no_script_with_its_own_words(
    deletion: Any, change: Callable[[dict[str, Any], dict[str, Any]], object]
) -> None:
    report, evidence, row, finding = copy.deepcopy(deletion)
    change(evidence, finding)
    finding["exchanges"] = [evidence["log"]["entries"][int(each[1:]) - 1]["_id"] for each in finding["exchanges"]]
    assert script(report, evidence, row, finding) is None


def test_a_hostile_answer_is_neither_run_nor_shown_raw(
    deletion: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    body = b'{"requestId": "$(touch pwned)/../../x"}\x1b]0;pwned\x07'

    def answer(_: str) -> Response:
        return 200, {"Content-Type": "application/json"}, body

    text = script(*deletion)
    assert text is not None
    with listening(answering(answer)) as origin:
        done = run_script(text, origin)
    assert done.returncode == 2  # the identifier is not usable, so there is nothing to delete
    assert "could not be created" in done.stderr
    assert "\x1b" not in done.stdout
    assert list(tmp_path.iterdir()) == []


ANSWERS_200 = must_answer(200)


@pytest.mark.parametrize(
    ("run", "probe", "repeated"),
    [
        # A request whose deletion found nothing is not created again, but one that another user could not delete is.
        ("POST [a] -> 200 r1; DELETE r1 -> 404; POST [a] -> 200 r2; GET r2 -> 404", ANSWERS_200, "e3 e4"),
        ("POST [a] -> 200 r1; other DELETE r1 -> 404; POST [a] -> 200 r2; GET r2 -> 404", ANSWERS_200, "e1 e3 e4"),
        # A deletion that was refused is not repeated before another one.
        ("POST [a] -> 200 r1; DELETE r1 -> 401; DELETE r1 -> 401", ANSWERS_200, "e1 e3"),
        # The request that an answer shows instead of its own is created too.
        ("POST [a] -> 200 r2; POST [a] -> 200 r1; DELETE r1 -> 200; GET r1 -> 200 r2", ANSWERS_200, "e1 e2 e3 e4"),
        # What came after a creation is repeated before a comparison with it.
        ("POST [a] -> 200 r1; POST [a] -> 200 r2; GET r1 -> 200", Probe(kind="as-created"), "e1 e2 e3"),
        # The types may be those of the creation before.
        (
            "POST [a] -> 200 r3; POST [a] -> 200 r2; DELETE r2 -> 200; POST [a] -> 200 r1",
            Probe(kind="set", pointer="/dataRequested"),
            "e2 e3 e4",
        ),
    ],
)
def test_the_calls_that_the_decisive_one_depends_on_are_repeated(run: str, probe: Probe, repeated: str) -> None:
    entries = trace_in(run).exchanges
    entries[-1].check = "another"
    finding = Finding[str](verdict=Verdict.FAIL, blame=Blame.TARGET, message="", exchanges=(entries[-1].id,))

    made = calls_of(Recorded(entries), finding, probe)

    assert [each.id for each in made] == repeated.split()
