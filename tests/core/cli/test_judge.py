"""`judge`: traffic of other programs, recorded with the reference service by Playwright, mitmproxy and schemathesis."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_services import Command, Result

from conformance.model.error_table import UNAUTHORIZED as TABLED
from conformance.model.verdict import Level, Verdict

FOLDER = Path(__file__).parents[2] / "support" / "recordings"
TOKEN = "recorded-token-of-alice-0123456789"
Entry = dict[str, Any]
UNAUTHORIZED = {
    "status": 401,
    "headers": [{"name": "Content-Type", "value": "application/json"}],
    "content": {"text": json.dumps({"error": TABLED.error, "message": TABLED.message})},
}


def judged(command: Command, recording: Path, folder: Path) -> tuple[Result, dict[str, dict[str, Any]]]:
    """Judge a recording; return what the command says, and the rows of the report by their ids."""
    done = command("judge", str(recording), "--output", str(folder))
    data = json.loads((folder / "report.json").read_text("utf-8")) if (folder / "report.json").exists() else {}
    return done, {row["id"]: row for row in data.get("requirements", ())}


def altered(folder: Path, change: Callable[[Entry], None], tool: str = "playwright") -> Path:
    """Return a copy of a recording in which each entry was changed."""
    log = json.loads((FOLDER / f"{tool}.har").read_text("utf-8"))
    for entry in log["log"]["entries"]:
        change(entry)
    (folder / "altered.har").write_text(json.dumps(log), "utf-8")
    return folder / "altered.har"


@pytest.mark.parametrize(("tool", "passed"), [("playwright", 45), ("mitmproxy", 45), ("schemathesis", 15)])
def test_traffic_of_another_program_is_judged_without_a_call(
    command: Command, tmp_path: Path, tool: str, passed: int
) -> None:
    done, rows = judged(command, FOLDER / f"{tool}.har", tmp_path / "run")
    verdicts = Counter(row["verdict"] for row in rows.values() if row["level"] == Level.MUST)

    assert done.code == 0, done.err
    assert verdicts[Verdict.FAIL] == 0
    assert verdicts[Verdict.PASS] >= passed
    report = json.loads((tmp_path / "run" / "report.json").read_text("utf-8"))
    assert report["outcome"] == "inconclusive"
    assert report["notes"][0]["message"].startswith("Another program made and recorded these calls.")
    assert [path.name for path in (tmp_path / "run").iterdir() if TOKEN in path.read_text("utf-8")] == []
    verified = command("verify", str(tmp_path / "run"))
    assert verified.code == 0, verified.out
    assert f"{len(rows)} of {len(rows)} verdicts recomputed and equal" in verified.out
    undecided = rows["3-frees-the-limit"]  # no program fills the account and deletes a request then
    assert undecided["verdict"] == Verdict.INCONCLUSIVE
    assert undecided["findings"][0]["message"] == "Not observed: no call of the recorded traffic decides it."


def test_a_violation_in_the_traffic_is_found(command: Command, tmp_path: Path) -> None:
    def change(entry: Entry) -> None:
        if entry["request"]["method"] == "DELETE" and entry["response"]["status"] == 200:
            entry["response"]["content"]["text"] = "Okay"

    done, rows = judged(command, altered(tmp_path, change), tmp_path / "run")

    assert done.code == 1
    assert [id for id, row in rows.items() if row["verdict"] == Verdict.FAIL] == ["4.3-answers-ok"]


def test_a_reading_without_a_token_is_a_violation(command: Command, tmp_path: Path) -> None:
    shown: list[Entry] = []

    def change(entry: Entry) -> None:
        names = {each["name"].lower() for each in entry["request"]["headers"]}
        is_reading = entry["request"]["method"] == "GET" and "/requests/" in entry["request"]["url"]
        if is_reading and "authorization" in names:
            shown.append(entry["response"])
        elif is_reading:
            entry["response"] = shown[0]

    _, rows = judged(command, altered(tmp_path, change, "mitmproxy"), tmp_path / "run")

    assert rows["5.3-read-without-token"]["verdict"] == Verdict.FAIL


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            lambda entry: entry["request"].update(
                headers=[each for each in entry["request"]["headers"] if each["name"].lower() != "authorization"]
            ),
            id="an export without Authorization",
        ),
        pytest.param(lambda entry: entry["response"].update(status=503), id="an outage"),
        pytest.param(lambda entry: entry.update(response=UNAUTHORIZED), id="tokens that expired"),
        pytest.param(
            lambda entry: entry.update(startedDateTime="2026-01-01T00:00:00Z", time=5), id="all at the same time"
        ),
    ],
)
def test_what_the_recording_cannot_show_accuses_no_service(
    command: Command, tmp_path: Path, change: Callable[[Entry], None]
) -> None:
    def on_requests(entry: Entry) -> None:
        if "/requests" in entry["request"]["url"]:
            change(entry)

    done, rows = judged(command, altered(tmp_path, on_requests), tmp_path / "run")

    assert done.code == 0, done.err
    assert [id for id, row in rows.items() if row["verdict"] in (Verdict.FAIL, Verdict.WARN)] == []
    assert rows["4.3-answers-ok"]["verdict"] in (Verdict.INCONCLUSIVE, Verdict.PASS)


def test_entries_come_from_standard_input_and_folders(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = FOLDER / "mitmproxy.har"
    entries = json.loads(recording.read_text("utf-8"))["log"]["entries"]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{json.dumps(each)}\n" for each in entries)))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one.har").write_bytes(recording.read_bytes())
    sources = (Path("-"), tmp_path / "folder", recording)
    lines, folder, file = (judged(command, each, tmp_path / f"run{at}")[1] for at, each in enumerate(sources))

    assert (
        [lines[id]["verdict"] for id in file]
        == [folder[id]["verdict"] for id in file]
        == [row["verdict"] for row in file.values()]
    )


def test_calls_of_two_services_need_an_address(command: Command, tmp_path: Path) -> None:
    def change(entry: Entry) -> None:
        if entry["request"]["url"].endswith("/data"):
            entry["request"]["url"] = "https://other.example/data"

    recording = altered(tmp_path, change)
    refused, _ = judged(command, recording, tmp_path / "run")
    chosen = command("judge", str(recording), "--base-url", "https://other.example", "--output", str(tmp_path / "one"))

    assert refused.code == 2
    assert "several base_urls" in refused.err
    assert chosen.code == 0, chosen.err
