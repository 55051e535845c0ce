"""Crashes of the suite, as reports name them."""

from __future__ import annotations

from conformance.model.findings import Crashes


def test_a_crash_is_named_by_its_exception_and_not_by_a_note_on_it() -> None:
    error = ZeroDivisionError("a bug of the suite")
    error.add_note("Explanation: these lines were always run by failing examples")
    crashes = Crashes()

    crashes.note(error, "the run of the checks")

    assert [crash.exception for crash in crashes.told()] == ["ZeroDivisionError: a bug of the suite"]
    assert "Explanation" in crashes.told()[0].traceback
