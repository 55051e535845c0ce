from __future__ import annotations

from importlib import metadata

import pytest

from conformance.run import environment

MODULES = "example/__init__.py,sha256=47DEQpj8,0\nexample/core.py,sha256=9zTGHp1s,812\n"
OF_THIS_MACHINE = "../../../bin/example,sha256=aaaa,212\nexample-1.0.dist-info/RECORD,,\nexample/core.pyc,,\n"


def digest_of(monkeypatch: pytest.MonkeyPatch, record: str) -> str:
    class _Distribution:
        version = "1.0"

        def read_text(self, _name: str) -> str:
            return record

    monkeypatch.setattr(metadata, "requires", lambda _name: ["example>=1", "other; extra == 'test'"])
    monkeypatch.setattr(metadata, "distribution", lambda _name: _Distribution())
    found = environment.environment.__wrapped__()
    assert found.dependencies == {"example": "1.0"}
    return found.digests.get("example", "")


def test_a_digest_is_that_of_the_modules_on_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = digest_of(monkeypatch, MODULES)

    assert usual.startswith("sha256:")
    assert digest_of(monkeypatch, OF_THIS_MACHINE + "".join(reversed(MODULES.splitlines(keepends=True)))) == usual
    assert digest_of(monkeypatch, MODULES.replace("812", "813")) != usual
