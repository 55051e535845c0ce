"""Every command of the tutorial and of the guides is run, in its order, with the exit code that the page states.

Each run of a page has the checks of clause 2.3 alone, which takes 3 s instead of 12 s. cli/test_check.py makes a whole
run of the command, and .ci/release installs the wheel and makes whole runs from it. Commands of the suite run in this
process, where it is loaded already, unless they serve.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen, run

import pytest
from authorisation_server import browser
from cli_services import Command

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = ("organisation", "regulator", "ci")
INSTALLS = (
    "python3 -m venv .venv && .venv/bin/pip install -q 'drsi-conformance[evidence,login]'",
    ". .venv/bin/activate",
)
"""The lines that install the suite, which is installed here."""
_BLOCK = re.compile(r"^( *)```sh\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"# exit code (\d)$")
_PLACES = re.compile(r"http://127\.0\.0\.1:8080/api/v1|https://service\.example/api")


def commands(page: Path) -> list[str]:
    """Return the lines of all shell blocks of a page."""
    return [line.strip() for _, block in _BLOCK.findall(page.read_text("utf-8")) for line in block.splitlines() if line]


class Reader:
    """A reader who types the commands of a page into a terminal, and starts services in a second one.

    A witness asks what needs no token: with one it makes a whole run, as tests/trust/cli/test_verify_signed.py does.
    """

    def __init__(self, command: Command, environment: pytest.MonkeyPatch) -> None:
        self.command, self.environment = command, environment
        self.service: Popen[str] | None = None
        self.shown: dict[str, str] = {}

    def types(self, line: str) -> None:
        """Run one line; a run has the checks of one clause."""
        if line.startswith("drsi-conformance check") and "--only" not in line:
            line = line.replace(" check", " check --only 2.3", 1)
        line = line.replace("drsi-conformance witness", "drsi-conformance witness --profile public")
        if line.startswith("drsi-conformance serve"):
            # The first service takes any port that is free, and the next one the same.
            self._serves(line.replace("8080", self.shown.get("base_url", "0").rpartition(":")[2].partition("/")[0]))
        elif line.startswith("unset "):
            self.environment.delenv(line.removeprefix("unset "))
        elif copied := re.fullmatch(r"export (\w+)=…", line):
            self.environment.setenv(copied[1], self.shown[copied[1]])
        else:
            self._ran(_PLACES.sub(lambda _: self.shown["base_url"], line))

    def _ran(self, line: str) -> None:
        expected = _CODE.search(line)
        words = shlex.split(line, comments=True)
        if words[0] == "drsi-conformance":
            *words, file = [*words, os.devnull] if ">" not in words else [each for each in words if each != ">"]
            result = self.command(*words[1:])
            Path(file).write_text(result.out, "utf-8")
            code, said = result.code, result.out + result.err
        else:
            done = run(["sh", "-c", line], capture_output=True, text=True, check=False)
            code, said = done.returncode, done.stdout + done.stderr
        assert code == int(expected[1] if expected else 0), f"{line}\n{said}"

    def _serves(self, line: str) -> None:
        self.stops()
        self.service = Popen(line.split(), stdout=PIPE, text=True)
        assert self.service.stdout is not None
        self.shown = {}
        for told in self.service.stdout:
            name, _, value = told.strip().partition(" ")
            self.shown[name] = value.strip()
            if name == "DRSI_OTHER_TOKEN":
                break

    def stops(self) -> None:
        """Press Ctrl-C in the second terminal."""
        if self.service is not None:
            self.service.terminate()
            self.service.communicate()


@pytest.fixture
def reader(command: Command, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    if shutil.which("openssl") is None and os.environ.get("CI") != "true":
        pytest.skip("openssl is not installed")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setattr("webbrowser.open", browser)
    reader = Reader(command, monkeypatch)
    yield reader
    reader.stops()


def test_the_tutorial_leads_to_a_verified_certificate(reader: Reader, folder: Path) -> None:
    lines = commands(DOCS / "tutorial.md")
    assert [line for line in lines if "venv" in line] == [*INSTALLS, INSTALLS[1]]
    for line in lines:
        if line not in INSTALLS:
            reader.types(line)

    assert len(lines) > 20
    ways = re.findall(r"'\S*\[([\w,]+)\]'", (DOCS / "tutorial.md").read_text("utf-8"))
    assert ways == ["evidence,login"] * 3  # from an index, a clone and a wheel
    assert (folder / ".github/workflows/conformance.yml").is_file()
    assert (folder / "run.drsi.zip").is_file()


def test_the_guides_are_followed_one_after_another(reader: Reader) -> None:
    assert {page.stem for page in (DOCS / "guides").iterdir()} == set(GUIDES)
    reader.types("drsi-conformance serve")
    for guide in GUIDES:
        for line in commands(DOCS / "guides" / f"{guide}.md"):
            reader.types(line)
