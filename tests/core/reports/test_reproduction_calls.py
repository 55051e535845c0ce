"""The calls of a reproduction script: those that the decisive one depends on, and no others (docs/traces.md)."""

from __future__ import annotations

import pytest
from notation import trace_in

from conformance.model.errors import Probe, must_answer
from conformance.model.findings import Finding
from conformance.model.verdict import Blame, Verdict
from conformance.reports.scripts.calls import Recorded, calls_of

ANSWERS_200 = must_answer(200)


@pytest.mark.parametrize(
    ("run", "probe", "repeated"),
    [
        # A request whose deletion found nothing is not created again, but one that another user could not delete is.
        ("POST [a] -> 200 r1; DELETE r1 -> 404; POST [a] -> 200 r2; GET r2 -> 404", ANSWERS_200, "e3 e4"),
        ("POST [a] -> 200 r1; other DELETE r1 -> 404; POST [a] -> 200 r2; GET r2 -> 404", ANSWERS_200, "e1 e3 e4"),
        # A deletion that was refused is not repeated before another one.
        ("POST [a] -> 200 r1; DELETE r1 -> 401; DELETE r1 -> 401", ANSWERS_200, "e1 e3"),
        # The request that an answer shows instead of its own is created too.
        ("POST [a] -> 200 r2; POST [a] -> 200 r1; DELETE r1 -> 200; GET r1 -> 200 r2", ANSWERS_200, "e1 e2 e3 e4"),
        # What came after a creation is repeated before a comparison with it.
        ("POST [a] -> 200 r1; POST [a] -> 200 r2; GET r1 -> 200", Probe(kind="as-created"), "e1 e2 e3"),
        # The types may be those of the creation before.
        (
            "POST [a] -> 200 r3; POST [a] -> 200 r2; DELETE r2 -> 200; POST [a] -> 200 r1",
            Probe(kind="set", pointer="/dataRequested"),
            "e2 e3 e4",
        ),
    ],
)
def test_the_calls_that_the_decisive_one_depends_on_are_repeated(run: str, probe: Probe, repeated: str) -> None:
    entries = trace_in(run).exchanges
    entries[-1].check = "another"
    finding = Finding[str](verdict=Verdict.FAIL, blame=Blame.TARGET, message="", exchanges=(entries[-1].id,))

    made = calls_of(Recorded(entries), finding, probe)

    assert [each.id for each in made] == repeated.split()
