"""Audits in tests: their targets, their results, and a service that lets a test interrupt them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli_services import OTHER_TOKEN, TOKEN, Gate, Served, served
from jsonschema import Draft202012Validator

from conformance.fleet.audit import one_run, schedule
from conformance.fleet.audit.one_run import Ended, Job, Stop
from conformance.fleet.audit.targets import AuditTarget
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

TOKENS = {"TOKEN_OF_A": TOKEN, "TOKEN_OF_B": OTHER_TOKEN}
PUBLIC = 'profile = "public"\nonly = ["2.3"]'
UNREACHABLE = Ended(3, "Nothing answers. Look there.")


def target(name: str, base_url: str, *lines: str) -> str:
    return f'[[target]]\nname = "{name}"\nbase_url = "{base_url}"\n' + "\n".join(lines) + "\n"


def job(folder: Path, name: str = "one", **of_target: Any) -> Job:
    """Return the run of a target in the folder of an audit, which has a second."""
    target = AuditTarget(**{"name": name, "base_url": f"https://{name}.example", **of_target})
    work, final = folder / "unfinished" / name, folder / "runs" / name
    return Job(target=target, work=work, final=final, place=folder, deadline=1)


def write(*targets: str) -> str:
    Path("targets.toml").write_text("\n".join(targets), "utf-8")
    return "targets.toml"


def audits() -> list[Path]:
    return sorted(each for each in Path("audits").iterdir() if each.is_dir())


def document(folder: Path | None = None) -> Any:
    data = json.loads(((folder or audits()[-1]) / "audit.json").read_text("utf-8"))
    schema = json.loads((Path(__file__).parents[2] / "schemas/audit.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(data)
    return data


def prepared(monkeypatch: pytest.MonkeyPatch, runs: Mapping[str, Path | Ended]) -> list[list[str]]:
    """Let the process of each run give the recorded run of its target, or end without one; return all their words.

    What cleans up after an earlier run is the command itself.
    """
    commands: list[list[str]] = []
    usual = one_run._ended

    def ended(words: list[str], job: Job, stop: Stop, seconds: float) -> Ended:
        if words[0] != "check":
            return usual(words, job, stop, seconds)
        commands.append(words)
        found = runs[job.target.name]
        if isinstance(found, Ended):
            return found
        shutil.copytree(found, words[1].removeprefix("--output="))
        return Ended(0)

    monkeypatch.setattr(one_run, "_ended", ended)
    monkeypatch.setattr(schedule, "PAUSE", 0)
    return commands


@contextmanager
def waiting() -> Iterator[tuple[Served, Gate]]:
    """Serve a service that answers no deletion until the test lets it go on, and opens its gate in the end."""
    gate = Gate()

    class Waiting(Service):
        async def delete(self, call: Call) -> Reply:
            # Each one waits: a run that is interrupted gives the first one up, and deletes again in its clean-up.
            if not gate.open.is_set():
                await gate.pass_through()
            return await super().delete(call)

    with served(Waiting) as service:
        try:
            yield service, gate
        finally:
            gate.open.set()


def held(service: Served, name: str = "held", *options: str) -> str:
    return target(
        name,
        service.base_url,
        'token = "variable:TOKEN_OF_A"',
        'other_token = "variable:TOKEN_OF_B"',
        'only = ["4.3-answers-ok"]',
        *options,
    )
