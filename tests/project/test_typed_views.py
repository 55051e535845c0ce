"""Views and commands take the typed report: few of their lines name a dictionary of anything."""

from __future__ import annotations

from pathlib import Path

import conformance

MOST = 20


def test_reports_and_cli_have_few_untyped_dictionaries() -> None:
    package = Path(conformance.__file__).parent
    files = [file for room in ("reports", "cli") for file in (package / room).rglob("*.py")]
    found = {file.name: number for file in files if (number := file.read_text("utf-8").count("dict[str, Any]"))}

    assert len(files) > 50
    assert sum(found.values()) <= MOST, found
