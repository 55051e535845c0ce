"""The reference service as a process of its own, and what no run of the suite tries of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import httpx
from platforms import POSIX_SIGNALS
from whole_runs import config

from conformance.reference.app import MAX_BODY, build_app
from conformance.reference.in_process import InProcessTransport
from conformance.reference.process import ReferenceProcess


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
def test_the_process_serves_the_users_that_it_names_and_ends_with_the_context() -> None:
    with ReferenceProcess() as service:
        pid = service.pid
        for token in service.tokens:
            answer = httpx.get(f"{service.base_url}/data/me", headers={"Authorization": f"Bearer {token}"})
            assert answer.json()["account"].endswith(".example")

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


CONFIG = config()


def test_a_body_beyond_what_memory_allows_is_refused() -> None:
    base_url, token = f"http://reference{CONFIG.path_prefix}", {"Authorization": f"Bearer {CONFIG.tokens[0]}"}
    with httpx.Client(transport=InProcessTransport(build_app(CONFIG)), base_url=base_url, headers=token) as client:
        assert client.post("/requests", content=b" " * (MAX_BODY + 1)).status_code == 413
