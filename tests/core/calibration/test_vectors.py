"""The verdicts of two self-tests, compared."""

from __future__ import annotations

from conformance.calibration.vectors import moved


def test_each_verdict_that_moved_is_listed_by_requirement() -> None:
    before = {"no-limit": {"8-limit-enforced": "fail", "4.1-answers-200": "pass"}, "gone": {}}
    now = {"no-limit": {"8-limit-enforced": "inconclusive", "4.1-answers-200": "pass"}, "new": {}, "newer": {}}

    assert list(moved(before, now)) == [
        "8-limit-enforced  no-limit: fail -> inconclusive",
        "Services that were tried only earlier: 1.",
        "Services that were tried only now: 2.",
    ]
    assert list(moved(now, now)) == []
