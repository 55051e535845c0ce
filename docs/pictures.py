"""Make the pictures of README.md from a real run, so that they show what the suite prints today.

    .venv/bin/python docs/pictures.py

Runs `check` against the reference service, with and without a fault, and writes the files beside this one: terminal.svg
(what the command prints) and, with Chromium, the first screens of the reports and the summary.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path
from subprocess import PIPE, Popen, run
from tempfile import TemporaryDirectory
from typing import Final

import stand_in
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text

from conformance.model.report import report_of
from conformance.reports import annotated
from conformance.reports.files import evidence_in
from conformance.trace.har import exchanges_of

FAULT: Final = "settings-supported-lanaguages-spelled-correctly"
PORT: Final = 8080
DESKTOP: Final = (1280, 900)
PHONE: Final = (390, 844)
A4: Final = (794, 1123)
COLUMNS: Final = 110
COMMAND: Final = (sys.executable, "-m", "conformance")
FOLDER: Final = Path(__file__).parent


def main() -> int:
    """Make all pictures; return 1 and say what is missing when that is not possible."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("docs/pictures.py needs Chromium, and found no command `chromium`: install it.", file=sys.stderr)
        return 1
    with TemporaryDirectory() as folder:
        # A relative folder keeps the names of the temporary folder out of the picture.
        failing, passing = Path(folder, "reports", "example"), Path(folder, "reports", "passing")
        printed = check(failing, fault=FAULT, code=1)
        check(passing, fault=None, code=0)
        noted = failing / "specification.html"
        noted.write_text(with_notes(failing), "utf-8")
        chosen = passing / "profile.html"
        run([*COMMAND, "profile", passing, "--output", chosen], stdout=PIPE, check=True)
        pages = {
            "report-failing.png": (failing / "report.html", DESKTOP, ""),
            "report-passing.png": (passing / "report.html", DESKTOP, ""),
            "report-phone.png": (failing / "report.html", PHONE, ""),
            "profile.png": (chosen, DESKTOP, ""),
            "specification.png": (noted, DESKTOP, "section:has(.note.fail)"),
            "summary.png": (failing / "summary.html", A4, ""),
        }
        photograph(pages, chromium)
    draw(printed)
    return 0


def check(output: Path, *, fault: str | None, code: int) -> str:
    """Return what `check` prints about a service, with its colours; the report goes to `output`."""
    serve = (*COMMAND, "serve", "--json", "--port", str(PORT), *(("--fault", fault) if fault else ()))
    with Popen(serve, stdout=PIPE, text=True) as service:
        try:
            assert service.stdout is not None
            line = service.stdout.readline()
            if not line:
                raise SystemExit(f"The service did not start; its message is above. Port {PORT} has to be free.")
            where = json.loads(line)
            token, other_token = where["tokens"]
            environment = {"DRSI_TOKEN": token, "DRSI_OTHER_TOKEN": other_token, "FORCE_COLOR": "1"}
            options = ["--quiet", "--empty-account", "--output", "/".join(output.parts[-2:])]
            done = run(
                [*COMMAND, "check", where["base_url"], *options],
                cwd=output.parents[1],
                env={**os.environ, **environment, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"},
                stdout=PIPE,
                text=True,
                check=False,
            )
        finally:
            service.terminate()
    if done.returncode != code:
        raise SystemExit(f"The run was expected to end with exit code {code}, but ended with {done.returncode}.")
    return f"$ drsi-conformance check {where['base_url']}\n\n{done.stdout}"


def with_notes(run: Path) -> str:
    """Return the specification with notes of a run, with other words: the project contains no copy of it."""
    report = report_of(json.loads((run / "report.json").read_text("utf-8")))
    return annotated.render(report, exchanges_of(evidence_in(run / "evidence.har")), stand_in.specification())


def photograph(pages: dict[str, tuple[Path, tuple[int, int], str]], chromium: str) -> None:
    """Write a screen of each page, by the name of its picture: at a width and height, from an element of it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, (page, (width, height), element) in pages.items():
            tab = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
            tab.goto(page.as_uri())
            if element:
                tab.locator(element).first.evaluate("element => element.scrollIntoView()")
            tab.screenshot(path=FOLDER / name)
            tab.close()
        browser.close()


def draw(printed: str) -> None:
    """Write terminal.svg."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere)
        console.print(Text.from_ansi(printed), end="")
    picture = console.export_svg(title="drsi-conformance", unique_id="terminal")
    # Pages that show the picture load no fonts from other hosts; a fixed-width font of the reader's stands in.
    picture = re.sub(r"@font-face\s*\{.*?\}", "", picture, flags=re.DOTALL)
    (FOLDER / "terminal.svg").write_text(picture, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
