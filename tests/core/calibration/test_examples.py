"""The examples of the requirements are those that runs of their checks record."""

from __future__ import annotations

import pytest

from conformance.calibration.examples import example_of
from conformance.calibration.faults import FAULTS
from conformance.model.examples import examples
from conformance.model.requirements import all_testable, catalogue
from conformance.model.verdict import Level

AGAIN = "run python -m conformance.calibration.examples"


def test_each_requirement_that_a_client_can_test_has_an_example_and_no_other() -> None:
    without, beyond = all_testable() - set(examples()), set(examples()) - all_testable()
    assert not without, f"no example of {', '.join(sorted(without))}: {AGAIN}"
    assert not beyond, f"an example of {', '.join(sorted(beyond))}, which no client can test: {AGAIN}"


def test_a_bad_exchange_is_that_of_a_fault_of_the_requirement() -> None:
    for id, example in examples().items():
        if catalogue()[id].level is Level.OPEN:
            assert (example.fault, example.bad) == ("", None)
        else:
            assert FAULTS[example.fault].requirement == id, AGAIN
            assert example.bad is not None
            assert (example.bad.question, example.bad.answer) != (example.good.question, example.good.answer)


@pytest.mark.parametrize("id", ["0-json-media-type", "2.3-organisationName", "4.3-answers-ok", "5-isolation"])
def test_the_examples_that_ship_are_recorded_again(id: str) -> None:
    new, shipped = example_of(catalogue()[id]), examples()[id]
    assert new == shipped, f"The example of {id} differs. If your change explains it, {AGAIN}."
