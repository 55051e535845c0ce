"""The options of the tester: what each of them decides is missed without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

import pytest

from conformance.calibration.faults import FAULTS
from conformance.calibration.run_one import Job, Kind, attempt
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Given, Variant
from conformance.model.target import Budget
from conformance.model.verdict import Verdict

DECIDING = {*Given, "await-completion", "language-selector", "max-created", "thorough"}
"""The options beside --empty-account, which all runs have, that let a run decide more."""

SHOWN_BY = {
    "await-completion": "completed-late-still-count",
    "complete-command": "completed-by-the-organisation-stays",
    "expired-token": "read-accepts-expired-token",
    "foreign-token": "create-accepts-foreign-token",
    "language-selector": "languages-missing-and-refused-as-unsupported",
    "max-created": "two-hundred-are-one-place-less",
    "thorough": "one-type-keeps-its-old-name",
    "reset-command": "emptied-account-has-one-place-less",
}
"""A fault of each option."""

ROW = "8-accepts-up-to-limit"


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


def test_no_service_is_tried_with_several_options_at_once_but_the_one_with_both_tokens() -> None:
    several = [each.name for each in (*FAULTS.values(), *TWINS.values()) if len(list(options_of(each))) > 1]

    assert several == ["refuses-expired-and-foreign-tokens"]


@pytest.mark.parametrize("option", sorted(DECIDING))
def test_a_fault_that_an_option_shows_is_missed_without_it(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = FAULTS[SHOWN_BY[option]]
    assert list(options_of(fault)) == [option]
    # Who does not empty the account does not confirm that it is empty.
    job = Job(kind=Kind.FAULT, name=fault.name, select=fault.requirement, confirmed=option != Given.RESET_COMMAND)

    monkeypatch.setitem(FAULTS, fault.name, replace(fault, given=(), run={}))

    # The self-test shows that the fault is found with it.
    assert attempt(job).verdicts[fault.requirement] in (Verdict.PASS, Verdict.NOT_APPLICABLE, Verdict.INCONCLUSIVE)


def test_a_fault_of_the_limit_is_missed_without_the_confirmation() -> None:
    fault = next(each for each in FAULTS.values() if each.requirement == ROW and not list(options_of(each)))
    job = Job(kind=Kind.FAULT, name=fault.name, select=ROW, confirmed=False)

    assert attempt(job).verdicts[ROW] is Verdict.INCONCLUSIVE
