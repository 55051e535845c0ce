"""The service that is made like a recorded one: it conforms, and chooses what that one chose."""

from __future__ import annotations

import pytest
from whole_runs import only, run_over, written

from conformance.calibration.combinations import find_variant
from conformance.calibration.likeness import like
from conformance.calibration.variant import Variant
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level, Outcome
from conformance.reports.profile import differences, profile
from conformance.run.conclusion import FinishedRun
from conformance.run.documents import Documents
from conformance.run.verify import recorded_trace
from conformance.trace.trace import Trace

TWINS = (
    "numeric-offset + upper-case-identifiers + json-with-charset + single-string-is-taken + "
    "words-for-identifiers-are-malformed + language-by-query-lang + limit-of-seven",
    "no-fraction + upper-case-when-created + empty-array-means-all + repeated-type-kept + one-data-type",
    "other-labels-refused + null-means-all + language-ignored + malformed-body-ignored + offset-without-a-colon",
)
CHOICES = tuple(
    row.id
    for row in catalogue().rows.values()
    if row.level is Level.OPEN and not row.untestable and not row.id.startswith("2.2-")
)
"""What shows the choices of a service: the open matters but fields of data types."""
FAULTS = (
    "settings-max-number-of-requests-string + data-request-created-at-without-offset + delete-answers-json-ok + "
    "data-type-processing-ground-null + data-me-types-absent + read-without-token-answers-403 + no-limit + "
    "limit-reached-error-in-lower-case"
)


def recorded(variant: Variant, *requirements: str) -> tuple[FinishedRun, Trace]:
    """Return a run of the suite, and what its files hold of it."""
    plan = only(*requirements) if requirements else None
    run = run_over(bend=variant, plan=plan, account_is_empty=True)
    return run, recorded_trace(*written(run))


@pytest.mark.parametrize("name", TWINS)
def test_it_chooses_what_the_recorded_one_chose(name: str) -> None:
    run, trace = recorded(find_variant(name), *CHOICES)
    again, _ = recorded(like(trace), *CHOICES)

    assert again.report.outcome is run.report.outcome
    first, second = (profile(Documents(done).shown) for done in (run, again))
    assert [(each.first.id, each.first.words, each.second.words) for each in differences(first, second)] == []


def test_it_has_no_fault_of_the_recorded_one() -> None:
    run, trace = recorded(find_variant(FAULTS))
    made = like(trace)
    again, _ = recorded(made)

    assert (run.report.outcome, again.report.outcome) == (Outcome.DOES_NOT_CONFORM, Outcome.CONFORMS)
    assert {"limit", "date-times", "Content-Type of OK"} <= set(made.not_copied)
    assert {"languages", "data types", "identifiers"} <= set(made.copied)
