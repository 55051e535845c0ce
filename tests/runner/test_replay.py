"""The replay of a recorded run: which exchanges it takes over from a run that was stopped."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hand_made import deletion, exchange

from conformance.http.record import CLEAN_UP
from conformance.model.conditions import Conditions
from conformance.model.exchange import Intent, Operation
from conformance.runner.recording import Recording


def test_what_a_stopped_run_did_before_its_clean_up_is_taken_over() -> None:
    cleaning = Intent(request="clean-up")
    during = replace(deletion(number=1), check="generated calls", intent=cleaning)
    other = replace(exchange(Operation.READ, number=2), check="generated calls")
    after = replace(deletion(number=3), check=CLEAN_UP, intent=cleaning)
    recording = Recording([during, other, after], Conditions(interrupted=True), datetime.now(UTC))

    assert [each.id for each in recording.take_unused()] == ["e1", "e2"]
    assert recording.unused == [after]
