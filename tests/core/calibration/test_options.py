"""The options of the tester: each that decides more has a fault and a conforming service."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import pytest

from conformance.calibration.faults import FAULTS
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Given, Variant
from conformance.model.target import Budget

DECIDING = {*Given, "await-completion", "language-selector", "max-created", "thorough"}
"""The options beside --empty-account, which all runs have, that let a run decide more."""


def options_of(variant: Variant) -> Iterator[str]:
    """Yield the options with which a service is tried, beside those of the command in README."""
    yield from variant.given
    for name, value in variant.run.items():
        if isinstance(value, Budget):
            # A thorough run may create ten times as many requests, unless told otherwise.
            usual = Budget(max_created=Budget().max_created * value.times)
            differ = (each.name for each in fields(value) if getattr(value, each.name) != getattr(usual, each.name))
            yield from (each.replace("_", "-") for each in differ)
        else:
            yield name.replace("_", "-")


@pytest.mark.parametrize("services", [FAULTS, TWINS], ids=["faults", "twins"])
def test_every_option_that_decides_more_has_a_fault_and_a_twin(services: dict[str, Variant]) -> None:
    assert {option for each in services.values() for option in options_of(each)} == DECIDING
