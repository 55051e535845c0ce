"""What a run breaks, for the tests of the judge, and what their cases have in common."""

from __future__ import annotations

from hand_made import TYPES, exchange
from lives import one_after_another

from conformance.facts.world import Facts
from conformance.judge.exchanges import judge
from conformance.model.exchange import Exchange, Operation

READ, DATA = Operation.READ, Operation.DATA
LISTED = exchange(DATA, 200, TYPES)
HTML = "<!doctype html><html><body>Oops</body></html>"


def broken(*run: Exchange) -> list[set[str]]:
    """Return what each exchange of a run breaks."""
    numbered = one_after_another(*run)
    known = Facts.of(numbered)
    return [{found.requirement for found in judge(each, known).violations} for each in numbered]


DEEP = b"[" * 100_000 + b"]" * 100_000
