"""Try Python clients of `known_clients.toml` on the reference service, and on a twin that breaks them.

`pip install aiohttp marshmallow` first. A client without an error in its last column reads the choice by now.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from typing import Any, Final, NamedTuple
from urllib.request import Request, urlopen
from uuid import UUID

aiohttp, httpx, marshmallow, msgspec, pydantic, requests, urllib3 = map(
    import_module, ("aiohttp", "httpx", "marshmallow", "msgspec", "pydantic", "requests", "urllib3")
)
typed = pydantic.TypeAdapter
FIELDS: Final = dict.fromkeys(("requestId", "createdAt", "isCompleted", "dataRequested"), marshmallow.fields.Raw())


class Service(NamedTuple):
    """A service that is being served, and what a call with the token of a user has as headers."""

    base_url: str
    headers: dict[str, str]

    def call(self, method: str, path: str) -> Any:
        """Return the JSON that a call answers."""
        with urlopen(Request(self.base_url + path, headers=self.headers, method=method)) as answer:
            return json.loads(answer.read())

    def created(self, member: str) -> Any:
        """Create a data request, and return a member of it."""
        return self.call("POST", "/requests")[member]


async def get_settings(its: Service) -> None:
    """Read the settings with aiohttp."""
    async with aiohttp.ClientSession() as session, session.get(f"{its.base_url}/settings") as answer:
        await answer.json()


def delete(its: Service) -> None:
    """Delete a request with requests, and compare the text."""
    text = requests.delete(f"{its.base_url}/requests/{its.created('requestId')}", headers=its.headers).text
    assert text == "OK", repr(text)


TRIES: Final[dict[tuple[str, str], Callable[[Service], object]]] = {
    ("msgspec", "limit-with-a-zero-fraction"): lambda its: msgspec.convert(
        its.call("GET", "/settings")["maxNumberOfRequests"], int
    ),
    ("uuid", "upper-case-identifiers"): lambda its: its.call("GET", f"/requests/{UUID(its.created('requestId'))}"),
    ("pydantic", "identifiers-of-version-7"): lambda its: typed(pydantic.UUID4).validate_python(
        its.created("requestId")
    ),
    ("pydantic", "offset-of-hours-only"): lambda its: typed(datetime).validate_python(its.created("createdAt")),
    ("marshmallow", "extra-members-null"): lambda its: marshmallow.Schema.from_dict(FIELDS)().load(
        its.call("POST", "/requests")
    ),
    ("urllib3", "json-with-a-byte-order-mark"): lambda its: urllib3.request("GET", f"{its.base_url}/settings").json(),
    ("aiohttp", "no-labels"): lambda its: asyncio.run(get_settings(its)),
    ("httpx", "settings-redirect"): lambda its: httpx.get(f"{its.base_url}/settings").raise_for_status(),
    ("requests", "ok-with-line-feed"): delete,
}


def outcome(attempt: Callable[[Service], object], *options: str) -> str:
    """Serve a service, and return in words what a client does with it."""
    command = [sys.executable, "-m", "conformance", "serve", "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            started = json.loads(process.stdout.readline())
            attempt(Service(started["base_url"], {"Authorization": f"Bearer {started['tokens'][0]}"}))
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"
        finally:
            process.terminate()
    return "reads it"


if __name__ == "__main__":
    for (client, twin), attempt in TRIES.items():
        print(f"{client:12} {outcome(attempt):9} {twin:28} {outcome(attempt, '--twin', twin)}", flush=True)
