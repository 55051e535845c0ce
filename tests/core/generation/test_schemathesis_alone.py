"""schemathesis alone with the OpenAPI document."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from cli_services import listening

from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User
from conformance.schema.documents import bundled

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "schemathesis.md").read_text("utf-8")
EXCLUDED = re.search(r"--exclude-checks (\S+)", PAGE)


def test_the_command_of_the_page_excludes_what_the_table_says() -> None:
    assert EXCLUDED is not None
    assert sorted(EXCLUDED[1].split(",")) == sorted(set(re.findall(r"^\| \*\*(\w+)\*\* \|", PAGE, re.MULTILINE)))


def test_schemathesis_alone_finds_nothing_in_the_reference_service(tmp_path: Path) -> None:
    assert EXCLUDED is not None
    config = ReferenceConfig(users=(User("alice.example", "Alice-0123456789abcdefghij"),), max_requests=1000)
    (tmp_path / "openapi.json").write_text(json.dumps(bundled()), "utf-8")
    with listening(build_app(config)) as origin:
        options = f"run openapi.json --url {origin}{config.path_prefix} --checks all --max-examples 2 --seed 1".split()
        options += ["-H", f"Authorization: Bearer {config.tokens[0]}", "--exclude-checks", EXCLUDED[1]]
        command = [Path(sys.executable).with_name("schemathesis"), *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
