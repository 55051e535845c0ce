"""The reference service as a process of its own: it ends with its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from platforms import POSIX_SIGNALS


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
