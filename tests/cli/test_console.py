"""A console that cannot show every character, as those of Windows are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_services import served

from conformance.reference.call import Call
from conformance.reference.service import Service

_ENCODINGS = ("cp1252", "cp437")
"""Those of consoles of Windows in Western Europe, and in America, which has fewer of the characters of the suite."""


class Unusual(Service):
    """A service whose texts have characters of no Western code page, in places that findings and reports quote."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"maxNumberOfRequests": "✓ 五 😀", "legalEntity": None}


def _printed(encoding: str, *arguments: str, folder: Path) -> tuple[int, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DRSI_")}
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-m", "conformance", *arguments],
        capture_output=True,
        env=environment | {"PYTHONIOENCODING": encoding, "COLUMNS": "200"},
        cwd=folder,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr).decode(encoding)


@pytest.mark.parametrize("encoding", _ENCODINGS)
def test_what_it_cannot_show_is_escaped(encoding: str, tmp_path: Path) -> None:
    with served(Unusual) as service:
        narrow = ("--profile", "public", "--only", "2.3", "--output", "out", "--format", "markdown")
        code, text = _printed(encoding, "check", service.base_url, *narrow, folder=tmp_path)

    assert code == 1
    assert "Traceback" not in text
    assert r"\u2713 \u4e94 \U0001f600" in text
    # Files are UTF-8 on every system.
    assert "✓ 五 😀" in (tmp_path / "out" / "summary.md").read_text("utf-8")
    code, text = _printed(encoding, "verify", "out", folder=tmp_path)
    assert (code, "Traceback" in text) == (0, False)


@pytest.mark.parametrize("arguments", [("--help",), ("explain", "2.1"), ("requirements",), ("serve", "--list-twins")])
def test_the_words_of_the_suite_can_be_shown(arguments: tuple[str, ...], tmp_path: Path) -> None:
    code, text = _printed("cp1252", *arguments, folder=tmp_path)

    assert code == 0
    assert "Traceback" not in text
