"""The results of an audit, which several threads read when their runs end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import report_samples as samples

from conformance.model.printable import as_json

READ = """
import sys, threading
from pathlib import Path
from conformance.fleet.audit import result

sys.setswitchinterval(1e-6)
together = threading.Barrier(4)

def read():
    together.wait()
    result.load(Path(sys.argv[1]))

threads = [threading.Thread(target=read) for _ in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
"""


def test_the_first_reports_are_read_by_several_threads_at_once(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(as_json(samples.data(samples.report()), indent=2), "utf-8")
    # Where msgspec prepares for a class in two threads, two of three such processes end with SIGSEGV.
    for _ in range(4):
        done = subprocess.run([sys.executable, "-c", READ, str(tmp_path)], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
