"""The main job: exit codes, outputs, and what goes to which stream."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from cli_services import Command, names_in, replying, report_of, served
from hostile_texts import HOSTILE
from report_samples import errors_of

from conformance.calibration.twins import TWINS
from conformance.http import noise
from conformance.model.printable import HAZARD
from conformance.reference.call import Call
from conformance.reference.config import DataType, numbered
from conformance.reference.service import Service
from conformance.reports.files import VIEWS

ALL = {"report.json", "evidence.har", "report.html", "summary.html", "junit.xml"}


PUBLIC = ("--profile", "public", "--output", "out")
SHORT = (*PUBLIC, "--only", "4.4")  # with --select a run makes all calls, which takes far longer
pytestmark = pytest.mark.usefixtures("tokens")


def test_without_an_address_the_embedded_service_is_checked(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DRSI_TOKEN", "DRSI_OTHER_TOKEN"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTEST_ADDOPTS", "--bogus")  # neither this nor a file of the folder is for the checks
    (folder / "conftest.py").write_text("raise RuntimeError('read')\n")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --bogus\n")
    run = command("check")
    assert run.code == 0, run.err
    (written,) = (folder / "reports").iterdir()
    assert names_in(written) == ALL
    report = report_of(written)
    assert errors_of(report) == []
    assert report["outcome"] == "conforms"
    assert report["summary"]["left_behind"] == 0
    assert "the suite's own reference service" in run.err
    assert ("seed 0" in run.err, "fail on" in run.err) == (True, False)
    assert re.search(r"^  4\.3  DELETE /requests/\{requestId\} +\d+ of \d+ checks, ", run.err, re.MULTILINE)
    assert re.search(r"^Conforms  http://127\.0\.0\.1:\d+/api/v1$", run.out, re.MULTILINE)
    assert f"reports/{written.name}/report.html" in run.out


def test_an_alert_stands_at_the_top_and_fails_the_run_where_that_is_asked(command: Command, folder: Path) -> None:
    with served(TWINS["users-share-an-organisation"].service) as service:
        words = ("--output", "out", "--fail-on", "5-token-in-query,5-isolation")
        result = command("check", service.base_url, *words, only=("4.4", "5-isolation"))
    assert result.code == 1, result.out
    assert result.out.startswith("Failed (1)\n\nALERT 5-isolation\n     finding  ")
    assert result.out.count("     finding  Another user could read and delete") == 1
    report = report_of(folder / "out")
    assert errors_of(report) == []
    assert (report["alerts"], report["fail_on"]) == (["5-isolation"], ["5-token-in-query", "5-isolation"])
    assert 'failures="1"' in (folder / "out" / "junit.xml").read_text("utf-8")
    assert "fail on" in result.err


def test_what_cannot_be_deleted_is_named_and_the_journal_stays(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noise, "LONGEST_PAUSE", 0.0)
    with served(replying("deleteRequest", 500)) as service:
        result = command("check", service.base_url, "--output", "out", only=("4.1",))
    assert result.code != 0
    assert service.live > 0
    assert report_of(folder / "out")["summary"]["left_behind"] == service.live
    journal = (folder / "out" / "journal.jsonl").read_text()
    assert all(request.id in journal for request in service.service.store.all())
    assert "out/journal.jsonl" in result.out


def test_readers_that_stop_reading_change_nothing(folder: Path) -> None:
    reader, writer = socket.socketpair()
    reader.close()
    command = [sys.executable, "-m", "conformance", "check", *SHORT]
    path = os.pathsep.join(path for path in sys.path if path)
    with writer:
        done = subprocess.run(command, stdout=writer, stderr=writer, env={"PYTHONPATH": path}, check=False)
    assert done.returncode == 0
    assert names_in(folder / "out") == ALL


class _Hostile(Service):
    """Each text that it publishes is one that could become a header, a file, a link, or a line of a terminal."""

    def settings(self, call: Call) -> Any:
        texts = cycle(HOSTILE)
        usual = super().settings(call)
        published = {name: next(texts) if isinstance(value, str) else value for name, value in usual.items()}
        return published | {"supportedLanaguages": ["en", "nl", *HOSTILE]} | dict.fromkeys(HOSTILE, 1)

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        listed = super().data_type(data_type, language, call)
        text = HOSTILE[self.config.data_types.index(data_type)]
        return listed | {"type": text, "description": text, "context": text, "processingGround": text}


def test_no_text_of_a_service_becomes_a_link_a_file_a_command_or_a_control_of_the_terminal(
    command: Command, folder: Path
) -> None:
    with served(_Hostile, data_types=numbered(len(HOSTILE))) as target:
        diagnosed = command("doctor", target.base_url)
        # What pytest-html makes of such texts is in core/reports/test_pages.py.
        formats = ("--quiet", "--format", ",".join({*VIEWS} - {"pytest-html"}))
        done = command("check", target.base_url, *PUBLIC, *formats, only=("2.2", "2.3", "4.4", "4.5"))

    assert {diagnosed.code, done.code} <= {0, 1, 2, 3}, diagnosed.err + done.err
    assert names_in(folder) == {"out"}
    written = {path.name: path.read_text("utf-8") for path in (folder / "out").iterdir()}
    assert {"report.json", "report.html", "requirements.csv"} <= {*written}
    for name, text in {**written, "doctor": diagnosed.out + diagnosed.err, "check": done.out + done.err}.items():
        assert not HAZARD.search(re.sub(r"[\n\r\t]", "", text)), name
        assert not re.search(r"href\s*=\s*[\"']?(javascript|file):|<img src=x", text) or name.endswith("json"), name


def break_down(*_: object, **__: object) -> None:
    raise ZeroDivisionError("a bug of the suite")


@pytest.mark.parametrize(
    ("view", "where", "missing"),
    [
        ("conformance.reports.html.render", "the format html", "report.html"),
        ("conformance.trust.chain.chained", "evidence.har", "evidence.har"),
        ("conformance.reports.terminal.print_summary", "the summary on the terminal", ""),
    ],
)
def test_a_view_that_crashes_is_left_out_and_the_others_say_so(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch, view: str, where: str, missing: str
) -> None:
    monkeypatch.setattr(view, break_down)
    with served() as service:
        result = command("check", service.base_url, *SHORT)
    assert result.code == 4
    assert "issue tracker" in result.out + result.err
    assert "Traceback" not in result.out + result.err
    assert names_in(folder / "out") == ALL - {missing}
    report = report_of(folder / "out")
    assert (report["outcome"], [each["where"] for each in report["crashes"]]) == ("inconclusive", [[where]])


def test_a_disk_that_is_full_at_the_end_leaves_no_report(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "report.json")

    monkeypatch.setattr("conformance.reports.files.os.fsync", full)
    with served() as service:
        result = command("check", service.base_url, *SHORT)
    assert result.code == 2
    assert "report.json cannot be written: No space left on device." in result.err
    assert "no report was written." in result.err
    assert names_in(folder) == set()
