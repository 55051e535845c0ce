"""witness: the live service is asked for a sample of what a run recorded."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from cli_services import Command, Served, report_of, served

from conformance.reference.call import Action, Call, Reply
from conformance.reference.service import Service


class _Changeable(Service):
    """Answers deletions with OK, or later with other words; notes the clients."""

    word = b"OK"
    agents: tuple[str, ...] = ()

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        self.agents += (call.headers["user-agent"],)
        if call.operation is Action.DELETE and reply.status == 200:
            reply.body = self.word
        return reply


def recorded(
    command: Command,
    folder: Path,
    service: Served,
    *options: str,
    nonce: str = "",
    only: tuple[str, ...] = (),
    suite: dict[str, str] | None = None,
) -> Path:
    """Return the folder of a recorded run that answers the challenge `nonce`; `suite` is what it names otherwise."""
    check = ("check", service.base_url, "--quiet", "--format", "html", "--output", "run")
    assert command(*check, *options, only=only).code in (0, 3)
    file = folder / "run" / "report.json"
    report: dict[str, Any] = json.loads(file.read_text("utf-8"))
    report["run"]["nonce"] = nonce
    report["suite"] |= suite or {}
    file.write_text(json.dumps(report), "utf-8")
    return file.parent


@pytest.mark.usefixtures("tokens")
def test_a_witness_of_a_whole_run(command: Command, folder: Path) -> None:
    with served(_Changeable) as service:
        run = recorded(command, folder, service, nonce="abc", only=("4.3",))
        service.service.agents = ()
        same = command("witness", str(run), service.base_url, "--quiet")
        seen = set(service.service.agents)
        service.service.word = b"Deleted"
        options = ("--quiet", "--no-anonymous", "--output", "live")
        other = command("witness", "run/report.json", service.base_url, *options)

        assert service.live == 0
    assert same.code == 0, same.out + same.err
    assert hashlib.sha256(b"abc").hexdigest() in same.out
    last = same.out.splitlines()[-1]
    assert last.startswith("2 of 2 requirements agree; seed from the nonce abc; the live service at ")
    assert {each.partition("/")[0] for each in seen} == {"python-requests"}
    assert other.code == 1
    assert "differs\n  A deletion is not confirmed with the plain text OK: the body is 'Deleted'." in other.out
    report = report_of(folder / "live")
    assert report["run"]["options"]["anonymous"] is False
    assert report["seed"] == int(hashlib.sha256(b"abc").hexdigest()[:8], 16)
    assert not [path for path in folder.iterdir() if path.is_dir() and path.name not in ("live", "run")]


def test_without_a_token_the_sample_needs_none(command: Command, folder: Path) -> None:
    with served(path_prefix="/a") as service:
        run = recorded(command, folder, service, "--profile", "public", "--select", "2.3,4.4")
    with served(path_prefix="/b") as elsewhere:
        found = command("witness", str(run), elsewhere.base_url, "--quiet", "--sample", "4", "--nonce", "mine")

    assert found.code == 0, found.out + found.err
    assert "The address is another one than that of the recorded run." in found.out
    assert "Only requirements that need no token are tested." in found.out
    assert "sampled requirements agree (" in found.out


def test_what_cannot_be_asked_is_no_agreement(command: Command, folder: Path) -> None:
    with served() as service:
        run = recorded(command, folder, service, "--profile", "public", "--select", "2.3,4.5", nonce="abc")
        overwriting = command("witness", str(run), service.base_url, "--output", "run")
        few = command("witness", str(run), service.base_url, "--quiet", "--max-requests", "20")
    assert overwriting.code == 2
    assert few.code == 3
    assert "could not be tested\n  " in few.out
    assert command("witness", str(run), service.base_url, "--quiet").code == 3  # the service has stopped
