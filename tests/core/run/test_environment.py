from __future__ import annotations

from conformance.run.environment import _digest

MODULES = "example/__init__.py,sha256=47DEQpj8,0\nexample/core.py,sha256=9zTGHp1s,812\n"
OF_THIS_MACHINE = "../../../bin/example,sha256=aaaa,212\nexample-1.0.dist-info/RECORD,,\nexample/core.pyc,,\n"


def test_a_digest_is_that_of_the_modules_on_every_machine() -> None:
    usual = _digest(MODULES)

    assert usual.startswith("sha256:")
    assert _digest(OF_THIS_MACHINE + "".join(reversed(MODULES.splitlines(keepends=True)))) == usual
    assert _digest(MODULES.replace("812", "813")) != usual
