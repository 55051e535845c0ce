"""The digest of the suite's own code: one for the source and the wheel that is made of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conformance.model import build

ROOT = Path(__file__).parents[3]

_OF_A_FOLDER = "from conformance.model.build import build; print(build())"


def _digest_in(folder: Path) -> str:
    """Return the digest of the code in a folder, as another process imports it."""
    program = f"import sys; sys.path.insert(0, {str(folder)!r}); {_OF_A_FOLDER}"
    command = [sys.executable, "-S", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stdout.strip()


def _copied(folder: Path) -> Path:
    """Copy the code as an installed wheel has it: with the schemas inside the package."""
    for top, inside in (("conformance", "conformance"), ("schemas", "conformance/schemas")):
        for file in (ROOT / top).rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                place = folder / inside / file.relative_to(ROOT / top)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(file.read_bytes())
    return folder


def test_code_data_and_templates_count_and_measurements_do_not(tmp_path: Path) -> None:
    folder = _copied(tmp_path)
    (folder / "conformance/calibration/score.json").write_text("{}", "utf-8")
    assert _digest_in(folder) == build.build()
    assert build.build().startswith("sha256:")
    seen = {build.build()}
    of_verdicts = ("judge/verdicts.py", "model/requirements.toml", "schemas/openapi.json")
    of_pages = ("reports/templates/style.css", "calibration/examples.json")
    for name in (*of_verdicts, *of_pages):
        file = folder / "conformance" / name
        file.write_bytes(file.read_bytes() + b"\n")
        seen.add(_digest_in(folder))
    assert len(seen) == 6
