"""witness: the live service is asked for a sample of what a run recorded.

Without a token it makes few calls; tests/trust/cli/test_verify_signed.py has a witness with tokens.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from cli_services import Command, report_of, served

from conformance.calibration.faults import FAULTS


def test_a_witness_tells_what_agrees_and_what_differs(command: Command, folder: Path, run: Path) -> None:
    report = report_of(run)
    report["run"]["nonce"] = "abc"
    report["suite"]["build"] = f"sha256:{'0' * 64}"
    (run / "report.json").write_text(json.dumps(report), "utf-8")
    with served() as service:
        same = command("witness", str(run), service.base_url)
    with served(FAULTS["settings-answer-201"].service) as changed:
        options = ("--quiet", "--no-anonymous", "--output", "live", "--sample", "1", "--nonce", "mine")
        other = command("witness", "run/report.json", changed.base_url, *options)

    assert same.code == 0, same.out + same.err
    assert "(profile public; only " in same.err
    assert f" against {report['target']['base_url']}; asks {service.base_url}." in same.out
    assert "Another build of the suite made the recorded run" in same.out
    assert "Only requirements that need no token are tested." in same.out
    assert hashlib.sha256(b"abc").hexdigest() in same.out
    last = same.out.splitlines()[-1]
    assert last.startswith("2 of 2 requirements agree; seed from the nonce abc; the live service at ")
    assert {call.headers["user-agent"].partition("/")[0] for call in service.calls} == {"python-requests"}
    assert other.code == 1
    assert "differs\n  GET /settings has the wrong status: 201 instead of 200" in other.out
    assert "0 of 1 sampled requirements agree (" in other.out
    live = report_of(folder / "live")
    assert live["run"]["options"]["anonymous"] is False
    assert live["seed"] == int(hashlib.sha256(b"mine").hexdigest()[:8], 16)


def test_what_cannot_be_asked_is_no_agreement(command: Command) -> None:
    with served() as service:
        recorded = ("--profile", "public", "--only", "2.3,4.5", "--quiet", "--format", "junit", "--output", "run")
        assert command("check", service.base_url, *recorded).code == 0
        overwriting = command("witness", "run", service.base_url, "--output", "run")
        few = command("witness", "run", service.base_url, "--quiet", "--max-requests", "20", "--nonce", "abc")
    assert overwriting.code == 2
    assert few.code == 3
    assert "could not be tested\n  " in few.out
    assert command("witness", "run", service.base_url, "--quiet").code == 3  # the service has stopped
