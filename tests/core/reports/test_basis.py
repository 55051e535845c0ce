"""Which copy of the specification a report quotes."""

from __future__ import annotations

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.requirements import catalogue
from conformance.model.specification import Specification
from conformance.reports import basis


@pytest.mark.parametrize("edition", ["sha256:" + "0" * 64, ""])
def test_another_edition_is_not_quoted(edition: str) -> None:
    report = samples.eventful()
    words = {"4.3, paragraph 1": "The plain text of this copy."}
    assert basis.quoting(typed(report), Specification(catalogue().edition.digest, words, ())).quoted == words

    assert basis.quoting(typed(report), Specification(edition, words, ())) == typed(report)
    report["suite"].pop("edition")
    assert basis.quoting(typed(report), Specification(edition, words, ())) == typed(report)
