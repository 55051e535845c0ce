"""The reference service behind a raw server on 127.0.0.1, whose script reads requests and writes answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from typing import Any

import httpx
from raw_server import Peer, RawServer, Script
from whole_runs import Plan, Silent, config, target_of

from conformance.http.session import Session
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.one_at_a_time import PATIENCE
from conformance.http.wire.transport import BoundedTransport
from conformance.model.target import Budget
from conformance.reference.app import build_app
from conformance.reference.in_process import InProcessTransport
from conformance.run.check import check
from conformance.run.conclusion import Run

Tokens = tuple[str, ...]


def run_behind(
    script_of: Callable[[httpx.BaseTransport, Tokens], Script],
    plan: Plan | None = None,
    *,
    patience: float = PATIENCE,
    **budget: Any,
) -> Run:
    """Check the reference service; `script_of` gets what answers for it and the tokens that it accepts."""
    settings = config()
    inner = InProcessTransport(build_app(settings))
    with closing(inner), RawServer(script_of(inner, settings.tokens)) as server:
        base_url = f"http://127.0.0.1:{server.port}{settings.path_prefix}"
        target = target_of(base_url, settings.tokens, budget=Budget(**budget))
        bounds = Limits(deadline=60, first_byte=60)
        session = Session(target, transport=BoundedTransport(bounds=bounds, patience=patience))
        try:
            return check(session, plan or Plan(), Silent())
        finally:
            session.close()


def parsed(head: bytes) -> tuple[str, str, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    found = re.fullmatch(r"(.*) (\S*) HTTP/1\.[01]", first, re.DOTALL)
    method, path = found.groups() if found else ("", "")
    return method, path, {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in lines)}


def whole(code: int, fields: dict[str, str], body: bytes) -> bytes:
    fields = {**fields, "content-length": str(len(body))}
    lines = [f"HTTP/1.1 {code} -", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def request_of(peer: Peer, head: bytes) -> httpx.Request:
    """Read the body of a request whose head was read, and return the request."""
    method, path, fields = parsed(head)
    content = peer.body(head) or b""
    if fields.pop("transfer-encoding", ""):
        chunked, content = content, b""
        while size := int(chunked.partition(b"\r\n")[0], 16):
            start = chunked.index(b"\r\n") + 2
            content, chunked = content + chunked[start : start + size], chunked[start + size + 2 :]
    return httpx.Request(
        method, f"http://service.test{path}", headers=httpx.Headers(fields, encoding="latin-1"), content=content
    )
