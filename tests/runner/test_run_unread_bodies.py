"""A service that leaves refused bodies unread reads them as the beginning of the next call on the connection."""

from __future__ import annotations

import json
import re

import httpx
from raw_server import Peer, RawServer, Script
from whole_runs import Plan, Silent, by_verdict, config, target_of, verified

from conformance.http.exchange_limits import Limits
from conformance.http.session import Session
from conformance.http.transport import BoundedTransport
from conformance.model.exchange import ErrorKind
from conformance.model.verdict import Blame, Outcome, Verdict
from conformance.reference.app import build_app
from conformance.reference.call import PROBLEMS, ErrorCondition
from conformance.reference.in_process import InProcessTransport
from conformance.runner.run import Run, check

UNAUTHORIZED = PROBLEMS[ErrorCondition.UNAUTHORIZED]
NO_METHOD = b"HTTP/1.1 501 Unsupported method\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n<p>What?</p>"


def leaving_bodies_unread(inner: httpx.BaseTransport, tokens: tuple[str, ...]) -> Script:
    """Return the script of a server that checks the token of a creation before it reads the body."""
    refusal = json.dumps({"error": UNAUTHORIZED.error, "message": UNAUTHORIZED.message}).encode()

    def script(peer: Peer) -> None:
        while (head := head_of(peer)) is not None:
            method, path, fields = parsed(head)
            if method not in ("GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"):
                peer.send(NO_METHOD)
            elif method == "POST" and fields.get("authorization") not in {f"Bearer {each}" for each in tokens}:
                peer.send(whole(401, {"content-type": "application/json"}, refusal))
            else:
                content = chunks_of(peer) if fields.pop("transfer-encoding", "") else body_of(peer, length_of(fields))
                request = httpx.Request(method, f"http://service.test{path}", headers=fields, content=content)
                answer = inner.handle_request(request)
                peer.send(whole(answer.status_code, dict(answer.headers), answer.read()))

    return script


def head_of(peer: Peer) -> bytes | None:
    while b"\r\n\r\n" not in peer._buffer:
        if not peer._more():
            return None
    head, _, peer._buffer = peer._buffer.partition(b"\r\n\r\n")
    return head


def length_of(fields: dict[str, str]) -> int:
    return int(fields.get("content-length", "0"))


def chunks_of(peer: Peer) -> bytes:
    content = b""
    while size := int(line_of(peer), 16):
        content += body_of(peer, size + 2)[:size]
    line_of(peer)
    return content


def line_of(peer: Peer) -> bytes:
    while b"\r\n" not in peer._buffer and peer._more():
        pass
    line, _, peer._buffer = peer._buffer.partition(b"\r\n")
    return line


def body_of(peer: Peer, size: int) -> bytes:
    while len(peer._buffer) < size and peer._more():
        pass
    body, peer._buffer = peer._buffer[:size], peer._buffer[size:]
    return body


def parsed(head: bytes) -> tuple[str, str, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    found = re.fullmatch(r"(.*) (\S*) HTTP/1\.[01]", first, re.DOTALL)
    method, path = found.groups() if found else ("", "")
    return method, path, {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in lines)}


def whole(code: int, fields: dict[str, str], body: bytes) -> bytes:
    fields = {**fields, "content-length": str(len(body))}
    lines = [f"HTTP/1.1 {code} -", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def run_against() -> Run:
    settings = config()
    inner = InProcessTransport(build_app(settings))
    with RawServer(leaving_bodies_unread(inner, settings.tokens)) as server:
        target = target_of(f"http://127.0.0.1:{server.port}{settings.path_prefix}", settings.tokens)
        session = Session(target, transport=BoundedTransport(bounds=Limits(deadline=5)))
        try:
            return check(session, Plan(), Silent())
        finally:
            session.close()
            inner.close()


def test_an_unread_body_is_named_once_and_no_requirement_is_blamed() -> None:
    run = run_against()

    misplaced = [each for each in run.evidence["log"]["entries"] if each["_trouble"] == ErrorKind.MISPLACED]
    assert misplaced
    assert by_verdict(run.report, Verdict.FAIL, Verdict.WARN) == {}
    notes = [each for each in run.report.notes if "leaves the body" in each.message]
    assert [each.blame for each in notes] == [Blame.TARGET]
    assert run.report.outcome in (Outcome.CONFORMS, Outcome.INCONCLUSIVE)
    found = verified(run)
    assert not found.damage
    assert not found.differences
