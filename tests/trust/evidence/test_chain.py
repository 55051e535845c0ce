"""Digests: no alteration of a recorded run leaves all of them intact."""

from __future__ import annotations

import hashlib
import random

import pytest
from alterations import KINDS, alter
from whole_runs import only, run_over, written

from conformance.calibration.sample import quick
from conformance.trust import chain

RUNS, ALTERATIONS = 10, 2_000
EXCHANGES, PASSED = 15, 10
"""Numbers of exchanges, and of results without a finding, that are kept of a run: its digests are computed quickly."""


@pytest.mark.parametrize("number", range(RUNS))
def test_every_alteration_of_a_run_is_found(number: int) -> None:
    chance = random.Random(number)
    job = chance.choice(quick())
    report, evidence = written(run_over(bend=job.variant, plan=only("4.3-trailing-line-feed", "4.4")))
    entries = evidence["log"]["entries"]
    evidence["log"]["entries"] = [
        entries[each] for each in sorted(chance.sample(range(len(entries)), min(EXCHANGES, len(entries))))
    ]
    rows = report["requirements"]
    passed = chance.sample([row["id"] for row in rows if not row["findings"]], PASSED)
    report["requirements"] = [row for row in rows if row["findings"] or row["id"] in passed]
    evidence = chain.chained(evidence)
    report = chain.sealed(report, evidence)
    assert list(chain.damage(report, evidence)) == []
    kinds = [chance.choice([*KINDS]) for _ in range(ALTERATIONS // RUNS)]

    missed = [kind for kind in kinds if next(chain.damage(*alter(chance, kind, report, evidence)), None) is None]

    assert missed == []


def test_a_digest_is_that_of_the_whole_text_however_much_of_it_is_written_at_once() -> None:
    value = {"b": [1, {"c": []}, "é"], "a": {"d": None, "": {}}}
    text = '{"a":{"":{},"d":null},"b":[1,{"c":[]},"\\u00e9"]}'
    expected = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    assert [chain.digest(value, levels=levels) for levels in range(4)] == [expected] * 4
