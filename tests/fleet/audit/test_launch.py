"""How the process of a run is started: the suite is the one that is installed, wherever the audit is called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FORK = """
import os, sys
from pathlib import Path
from conformance.fleet.audit.launch import Command, forking

if __name__ == "__main__":
    place = Path.cwd()
    (place / "messages").touch()
    with forking(["conformance.model.text"], {"SECRET"}) as launch:
        command = Command(
            words=["--version"], environment=dict(os.environ), place=place, memory=0, messages=place / "messages"
        )
        code = launch(command).ended(60)
    kept = {name: os.environ.get(name) for name in ("SECRET", "PYTHONPATH", "PYTHONSAFEPATH")}
    print(code, kept, (place / "messages").read_text())
"""


def test_a_fork_loads_nothing_from_the_working_directory(tmp_path: Path) -> None:
    script, place = tmp_path / "script/fork.py", tmp_path / "place"
    script.parent.mkdir()
    script.write_text(FORK)
    (place / "conformance/model").mkdir(parents=True)
    for package in ("conformance", "conformance/model"):
        (place / package / "__init__.py").write_text("raise SystemExit('another package of this name')")
    ran = subprocess.run(
        [sys.executable, script],
        cwd=place,
        env={**{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}, "SECRET": "s"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ran.stdout.strip(), ran.stderr) == ("0 {'SECRET': 's', 'PYTHONPATH': None, 'PYTHONSAFEPATH': None}", "")
