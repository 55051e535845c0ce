"""How faults are combined in one service, which faults cannot be combined, and how combinations are drawn."""

from __future__ import annotations

import pytest

from conformance.calibration.combinations import (
    CannotCombine,
    check_combination,
    combination,
    tour,
)


def test_all_faults_of_a_combination_are_in_effect() -> None:
    name = "deletion-answers-row-count + settings-limit-only + completed-at-of-1970"

    check_combination(name)

    combined = combination(name)
    assert [fault.name for fault in combined.faults] == name.split(" + ")
    assert combined.config == {"complete_after": 0.0}
    answers = [body for _, body, _ in tour(combined)]
    assert answers[0] == b'{"maxNumberOfRequests":3}'
    assert b"OK" not in answers
    assert any(b'"completedAt":"1970-' in body for body in answers)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("settings-limit-only + settings-languages-single-as-text", "break the same requirement"),
        ("completed-at-of-1970 + completed-count-later", "different values of complete_after"),
        (
            "settings-answer-204 + settings-privacy-contact-email-form-in-words",
            "settings-privacy-contact-email-form-in-words changes no answer",
        ),
        ("completed-at-of-1970 + all-types-take-no-place", "all-types-take-no-place changes no answer"),
        ("data-requested-prefixed-on-read + data-request-in-progress-no-completed-at-null", "both define document"),
    ],
)
def test_faults_that_do_not_show_together_are_refused(name: str, why: str) -> None:
    with pytest.raises(CannotCombine, match=why):
        check_combination(name)
