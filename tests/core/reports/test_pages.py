"""Pages: templates are compiled once for an installation, and again when a template or its settings change."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemBytecodeCache

from conformance.reports import pages


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of compiled modules, in another installation."""
    module = tmp_path / "pages.py"
    module.write_bytes(Path(pages.__file__).read_bytes())
    monkeypatch.setattr(pages, "__file__", str(module))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder = tmp_path / "__pycache__"
    folder.mkdir()
    return folder


def _loaded() -> None:
    pages._environment.__wrapped__().get_template("head.html")


def test_a_template_is_compiled_once_and_again_for_other_settings(
    compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    _loaded()
    assert not list(compiled.iterdir())  # nothing is kept where Python keeps nothing
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    _loaded()
    before = set(compiled.iterdir())
    assert before

    with monkeypatch.context() as patched:
        patched.setattr(Environment, "compile", lambda *_: pytest.fail("it is compiled again"))
        _loaded()
    module = compiled.parent / "pages.py"
    module.write_bytes(module.read_bytes() + b"# other settings")
    _loaded()
    assert set(compiled.iterdir()) > before


@pytest.mark.usefixtures("compiled")
def test_a_full_disk_stops_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(FileSystemBytecodeCache, "dump_bytecode", full)

    _loaded()
