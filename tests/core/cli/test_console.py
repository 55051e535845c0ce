"""A console that cannot show every character, as those of Windows are."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_services import Command, refusing, served

from conformance.reference.call import Call
from conformance.reference.service import Service

_ENCODINGS = ("cp1252", "cp437")
"""Those of consoles of Windows in Western Europe, and in America, which has fewer of the characters of the suite."""


class Unusual(Service):
    """A service whose texts have characters of no Western code page, in places that findings and reports quote."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"maxNumberOfRequests": "✓ 五 😀", "legalEntity": None}


@pytest.mark.parametrize("size", ["0", "00", "-5", "abc", "", " ", "80.5", "\u00b2", "9" * 5000])
def test_a_size_of_the_terminal_that_is_none_changes_no_output(
    command: Command, monkeypatch: pytest.MonkeyPatch, size: str
) -> None:
    expected = command("doctor", refusing())
    for name in ("COLUMNS", "LINES"):
        monkeypatch.setenv(name, size)
    result = command("doctor", refusing())
    assert (result.code, result.err) == (expected.code, expected.err)
    assert result.out.splitlines()[1:] == expected.out.splitlines()[1:] != []  # the first line has the port


_ONE_AFTER_ANOTHER = """
import json, sys
from conformance.cli import main
for arguments in json.loads(sys.argv[1]):
    try:
        main(arguments)
    except SystemExit as ended:
        print("exit code", ended.code, flush=True)
"""


def _printed(encoding: str, *commands: tuple[str, ...], folder: Path) -> tuple[list[int], str]:
    """Run commands in one process; return their exit codes, and all that it printed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DRSI_")}
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", _ONE_AFTER_ANOTHER, json.dumps(commands)],
        capture_output=True,
        env=environment | {"PYTHONIOENCODING": encoding, "COLUMNS": "200"},
        cwd=folder,
        check=False,
    )
    text = (done.stdout + done.stderr).decode(encoding)
    assert "Traceback" not in text
    return [int(code) for code in re.findall(r"^exit code (\d+)\r?$", text, re.MULTILINE)], text


@pytest.mark.parametrize("encoding", _ENCODINGS)
def test_what_it_cannot_show_is_escaped(encoding: str, tmp_path: Path) -> None:
    with served(Unusual) as service:
        narrow = ("--profile", "public", "--only", "2.3", "--output", "out", "--format", "markdown")
        codes, text = _printed(encoding, ("check", service.base_url, *narrow), ("verify", "out"), folder=tmp_path)

    assert codes == [1, 0]
    assert r"\u2713 \u4e94 \U0001f600" in text
    # Files are UTF-8 on every system.
    assert "✓ 五 😀" in (tmp_path / "out" / "summary.md").read_text("utf-8")
