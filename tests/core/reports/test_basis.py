"""On what a requirement rests, in words, and which copy of the specification a report quotes."""

from __future__ import annotations

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.specification import Specification
from conformance.model.verdict import Basis, Level, Verdict
from conformance.reports import basis


@pytest.mark.parametrize("edition", ["sha256:" + "0" * 64, ""])
def test_another_edition_is_not_quoted(edition: str) -> None:
    report = samples.eventful()
    words = {"4.3, paragraph 1": "The plain text of this copy."}
    assert basis.quoting(typed(report), Specification(catalogue().edition.digest, words, ())).quoted == words

    assert basis.quoting(typed(report), Specification(edition, words, ())) == typed(report)
    report["suite"].pop("edition")
    assert basis.quoting(typed(report), Specification(edition, words, ())) == typed(report)


@pytest.mark.parametrize(
    ("of", "places", "words"),
    [
        (Basis.ADVICE, (), "Advice: no place of the specification says it"),
        (Basis.ADVICE, ("9",), "Advice, about 9: no place of the specification says it"),
    ],
)
def test_advice_names_what_it_is_about(of: Basis, places: tuple[str, ...], words: str) -> None:
    row = RequirementResult(
        id="6-x", clause="6", level=Level.SHOULD, statement="", verdict=Verdict.PASS, basis=of, places=places
    )
    assert basis.rests_on(row) == words
