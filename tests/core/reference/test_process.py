"""The reference service as a process of its own, and what no run of the suite tries of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from platforms import POSIX_SIGNALS
from whole_runs import config

from conformance.reference.app import MAX_BODY, build_app
from conformance.reference.config import ReferenceConfig, numbered
from conformance.reference.in_process import InProcessTransport
from conformance.reference.process import ReferenceProcess


@pytest.fixture(scope="module")
def socket_service() -> Iterator[ReferenceProcess]:
    with ReferenceProcess(config()) as service:
        yield service


def _gone(pid: int) -> bool:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


@POSIX_SIGNALS
def test_the_process_serves_what_is_configured_and_ends_with_the_context() -> None:
    with ReferenceProcess(config(max_requests=2, path_prefix="/x")) as service:
        pid = service.pid
        assert service.base_url.endswith("/x")
        assert service.tokens == config().tokens
        with httpx.Client(
            base_url=service.base_url, headers={"Authorization": f"Bearer {service.tokens[0]}"}
        ) as client:
            assert client.get("/settings").json()["maxNumberOfRequests"] == 2

    assert pid is not None
    assert _gone(pid)
    assert service.pid is None


@POSIX_SIGNALS
def test_the_process_dies_with_its_parent() -> None:
    program = (
        "import time; from conformance.reference.process import ReferenceProcess\n"
        "service = ReferenceProcess().start(); print(service.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)

    assert _gone(child)


@pytest.mark.parametrize(
    "raw",
    [
        b"GET /api/v1/requests/a%2Fb%00%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"GET /api/v1/data HTTP/1.1\r\nHost: x\r\nAccept-Language: \xff\xfe\r\nConnection: close\r\n\r\n",
        b"GET /api/v1/requests/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \xff\r\nConnection: close\r\n\r\n",
        b"GET http://[::1/api HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"GET /api/v1/data?lang=%ff&%00=\xc3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ],
)
def test_odd_bytes_on_the_socket_are_no_server_error(raw: bytes, socket_service: ReferenceProcess) -> None:
    url = httpx.URL(socket_service.base_url)
    with socket.create_connection((url.host, url.port or 80), timeout=120) as connection:
        connection.sendall(raw)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk

    assert answer.startswith((b"HTTP/1.1 2", b"HTTP/1.1 4"))


CONFIG = config()


def test_a_body_beyond_what_memory_allows_is_refused() -> None:
    base_url, token = f"http://reference{CONFIG.path_prefix}", {"Authorization": f"Bearer {CONFIG.tokens[0]}"}
    with httpx.Client(transport=InProcessTransport(build_app(CONFIG)), base_url=base_url, headers=token) as client:
        assert client.post("/requests", content=b" " * (MAX_BODY + 1)).status_code == 413


def test_a_configuration_survives_json() -> None:
    for each in (CONFIG, replace(CONFIG, data_types=numbered(3)), replace(CONFIG, data_types=7)):
        assert ReferenceConfig.from_json(each.as_json()) == each
