"""The digest of the suite's own code: one for the source and the wheel that is made of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conformance.model import build

ROOT = Path(__file__).parents[3]


def test_an_installed_wheel_has_the_digest_of_its_source(tmp_path: Path) -> None:
    for top, inside in (("conformance", "conformance"), ("schemas", "conformance/schemas")):
        for file in (ROOT / top).rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                place = tmp_path / inside / file.relative_to(ROOT / top)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(file.read_bytes())
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from conformance.model import build"
    command = [sys.executable, "-S", "-c", f"{program}; print(build.build())"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)

    assert done.stdout.strip() == build.build()


def test_code_data_and_templates_count_and_measurements_do_not() -> None:
    content = {name: file.read_bytes() for name, file in build.files_of(["conformance", "conformance.schemas"]).items()}
    assert build.digest_of(content | {"conformance/calibration/score.json": b"{}"}) == build.build()
    of_verdicts = ("judge/verdicts.py", "model/requirements.toml", "schemas/openapi.json")
    of_pages = ("reports/templates/style.css", "calibration/examples.json")
    for name in (f"conformance/{each}" for each in (*of_verdicts, *of_pages)):
        assert build.digest_of(content | {name: content[name] + b"\n"}) != build.build()
