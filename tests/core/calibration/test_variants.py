"""How faults and twins are declared, and how they are served."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from conformance.calibration import sources
from conformance.calibration.faults import FAULTS
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import fault, load, twin
from conformance.model.requirements import WrongDeclaration
from conformance.reference.service import Service

PLACE = "2.3, table, row 2"


class Sound(Service):
    """A docstring."""


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (("2.3-supportedLanguages",), r"'2\.3-supportedLanguages'.*Did you mean 2\.3-supportedLanaguages"),
        (("2.1-createdAt", "5-isolation"), "5-isolation, which is open"),
        (("2.3-legalEntity",), "no docstring"),
    ],
)
def test_a_fault_that_is_declared_wrongly_is_refused_by_name(ids: tuple[str, ...], message: str) -> None:
    service = type("Sound", (Service,), {"__doc__": None if "docstring" in message else "A docstring."})

    with pytest.raises(WrongDeclaration, match=f"The declaration of fault sound .* is wrong: .*{message}"):
        fault(*ids, source=PLACE)(service)


@pytest.mark.parametrize("source", ["2.3, table, row 99", "many services", "https://example.org"])
def test_a_source_that_is_no_place_and_no_named_address_is_refused(source: str) -> None:
    with pytest.raises(WrongDeclaration, match="its source is neither a place of the catalogue nor a name"):
        fault("2.3-legalEntity", source=source)(Sound)


def test_every_source_has_a_variant() -> None:
    named = {value for name, value in vars(sources).items() if name.isupper() and not name.startswith("_")}

    assert named <= {each.source for each in (*FAULTS.values(), *TWINS.values())}


def test_a_requirement_has_at_most_four_faults_that_are_classes() -> None:
    number = Counter(each.requirement for each in FAULTS.values() if each.source)

    assert {id: many for id, many in number.items() if many > 4} == {}


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import json\njson.loads('{')\n", r"JSONDecodeError: .*, at .*broken_module.py:2\."),
        ("x = = 1\n", r"SyntaxError: invalid syntax, at .*broken_module.py:1\."),
    ],
)
def test_a_module_that_cannot_be_loaded_is_named_with_the_exception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, message: str
) -> None:
    (tmp_path / "faults").mkdir()
    (tmp_path / "faults" / "broken_module.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("conformance.calibration.variant._HERE", tmp_path)

    with pytest.raises(WrongDeclaration, match=rf"The module broken_module cannot be loaded\. .*{message}"):
        load("faults", [str(tmp_path / "faults")])


@pytest.mark.parametrize(
    ("acceptable", "alerts", "message"),
    [
        ({}, ("4.3-answers-ok",), r"the catalogue declares no alert for it: 4\.3-answers-ok"),
        ({"4.3-answers-ok": ("fail",)}, (), "a conforming service is never failed"),
        ({"4.3-answer-ok": ("warn",)}, (), "Did you mean 4.3-answers-ok"),
    ],
)
def test_a_twin_that_is_declared_wrongly_is_refused(
    acceptable: dict[str, tuple[str, ...]], alerts: tuple[str, ...], message: str
) -> None:
    with pytest.raises(WrongDeclaration, match=f"The declaration of twin sound .*{message}"):
        twin("5", acceptable, source=PLACE, alerts=alerts)(Sound)
