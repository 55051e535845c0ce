"""Services that answer with the token in broken and hostile forms: no file of a run contains it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from urllib.parse import quote

import httpx
from whole_runs import USERS, Send, around, only, run_over

from conformance.http.secrets.written import kind_in
from conformance.model.exchange import ErrorKind, TransportError
from conformance.reports import files
from conformance.run.documents import Documents

Answering = Callable[[str], httpx.Response]

JSON = {"content-type": "application/json"}


def cut_off(token: str) -> httpx.Response:
    raise TransportError(ErrorKind.CLOSED, f"the connection was closed after {token!r}")


HOSTILE: dict[str, Answering] = {
    "an error page": lambda token: httpx.Response(500, html=f"<p>Who is {token}?</p><!-- {quote(token, safe='')} -->"),
    "invalid UTF-8": lambda token: httpx.Response(200, content=b"\xff\xfe" + token.encode() + b"\xc3", headers=JSON),
    "UTF-16": lambda token: httpx.Response(
        400, content=token.encode("utf-16"), headers={"content-type": "text/plain; charset=utf-16"}
    ),
    "nested arrays": lambda token: httpx.Response(200, content=b"[" * 3_000 + json.dumps(token).encode(), headers=JSON),
    "names of members": lambda token: httpx.Response(200, json={token: {token: token}}),
    "JSON escapes": lambda token: httpx.Response(
        400, content=f'{{"error": "{"".join(chr(92) + f"u{ord(each):04x}" for each in token)}"}}', headers=JSON
    ),
    "header fields": lambda token: httpx.Response(
        # One form of a credential has a letter outside ASCII; a server sends back the bytes that it was sent.
        302,
        headers=httpx.Headers(
            {"location": f"/login?token={token}", "set-cookie": f"t={token}", "x-" + "a" * 5_000: token}, "utf-8"
        ),
    ),
    "base64": lambda token: httpx.Response(
        409, headers={"www-authenticate": base64.b64encode(f"user:{token}".encode()).decode()}
    ),
    "a long text": lambda token: httpx.Response(200, content=b"x" * 70_000 + token.encode() + b"x" * 70_000),
    "a part of an answer": cut_off,
}


def test_no_file_contains_a_token(tmp_path: Path) -> None:
    """Each call gets another form than the one before."""
    forms = count()

    def hostile(request: httpx.Request, send: Send) -> httpx.Response:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        return [*HOSTILE.values()][next(forms) % len(HOSTILE)](token) if token else send(request)

    run = run_over(plan=only("4", "5.3"), wrap=around(hostile))
    assert next(forms) > 5 * len(HOSTILE)
    files.write(tmp_path, Documents(run).data, Documents(run).evidence, formats=files.FORMATS)

    tokens = [("user", USERS[0].token), ("other user", USERS[1].token)]
    written = sorted(path for path in tmp_path.iterdir())
    assert {files.DATA, files.EVIDENCE, "report.html"} <= {path.name for path in written}
    assert [(path.name, kind) for path in written if (kind := kind_in(path, tokens))] == []
