"""Audits in tests: their targets, their results, and a service that lets a test interrupt them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cli_services import OTHER_TOKEN, PATIENCE, TOKEN, Served, served
from jsonschema import Draft202012Validator

from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

TOKENS = {"TOKEN_OF_A": TOKEN, "TOKEN_OF_B": OTHER_TOKEN}
PUBLIC = 'profile = "public"\nonly = ["2.3"]'
QUICK = ("--retry-pause", "0", "--workers", "2")


def target(name: str, base_url: str, *lines: str) -> str:
    return f'[[target]]\nname = "{name}"\nbase_url = "{base_url}"\n' + "\n".join(lines) + "\n"


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


class Waiting(Service):
    """Answers no deletion of its first user until the test lets it go on."""

    reached: threading.Event
    open: threading.Event

    async def delete(self, call: Call) -> Reply:
        if not self.reached.is_set():
            self.reached.set()
            await asyncio.to_thread(self.open.wait, PATIENCE)
        return await super().delete(call)


@contextmanager
def waiting() -> Iterator[tuple[Served, type[Waiting]]]:
    class Here(Waiting):
        reached = threading.Event()
        open = threading.Event()

    with served(Here) as service:
        try:
            yield service, Here
        finally:
            Here.open.set()


def held(service: Served, name: str = "held", *options: str) -> str:
    return target(
        name,
        service.base_url,
        'token = "variable:TOKEN_OF_A"',
        'other_token = "variable:TOKEN_OF_B"',
        'only = ["4.3-answers-ok"]',
        *options,
    )
