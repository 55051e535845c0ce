"""Make the pictures of README.md from a real run, so that they show what the suite prints today.

    .venv/bin/python docs/pictures.py

Serves the reference service with one fault, runs `check` against it, and writes two files beside this one: report.png
(the head of report.html, needs Chromium) and terminal.svg (what the command prints).
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

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text

FAULT: Final = "settings-supported-lanaguages-spelled-correctly"
PORT: Final = 8080
WIDTH: Final = 1200
COLUMNS: Final = 110
COMMAND: Final = (sys.executable, "-m", "conformance")
FOLDER: Final = Path(__file__).parent


def main() -> int:
    """Make both pictures; return 1 and say what is missing when that is not possible."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("docs/pictures.py needs Chromium, and found no command `chromium`: install it.", file=sys.stderr)
        return 1
    with TemporaryDirectory() as folder:
        # A relative folder keeps the names of the temporary folder out of the picture.
        output = Path(folder, "reports", "example")
        printed = check(output)
        photograph(output / "report.html", chromium)
    draw(printed)
    return 0


def check(output: Path) -> str:
    """Return what `check` prints about a service with the fault, with its colours; the report goes to `output`."""
    serve = (*COMMAND, "serve", "--json", "--port", str(PORT), "--fault", FAULT)
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
    if done.returncode != 1:
        raise SystemExit(f"The run was expected to end with exit code 1, but ended with {done.returncode}.")
    return f"$ drsi-conformance check {where['base_url']}\n\n{done.stdout}"


def photograph(page: Path, chromium: str) -> None:
    """Write report.png: the head of the page and its first finding."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": WIDTH, "height": 1000}, color_scheme="light")
        tab.goto(page.as_uri())
        tab.screenshot(path=FOLDER / "report.png")
        browser.close()


def draw(printed: str) -> None:
    """Write terminal.svg."""
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere)
        console.print(Text.from_ansi(printed), end="")
    picture = console.export_svg(title="drsi-conformance", unique_id="terminal")
    # Pages that show the picture load no fonts from other hosts; a fixed-width font of the reader's stands in.
    picture = re.sub(r"@font-face\s*\{.*?\}", "", picture, flags=re.DOTALL)
    (FOLDER / "terminal.svg").write_text(picture, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
