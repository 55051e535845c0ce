"""What a series of calls violates, given all exchanges of a run: the property of the search for sequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from conformance.facts.world import Facts
from conformance.judge.exchanges import judge
from conformance.judge.requests import loss
from conformance.model.error_table import UNAUTHORIZED
from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Exchange

WANTED: Final = ("3-removed", "4.3-answers-ok")
"""What a series of calls shows."""


def violations_of(
    calls: Sequence[Exchange], exchanges: Sequence[Exchange]
) -> Iterator[tuple[RequirementViolated, Exchange]]:
    """Yield the violations of `WANTED` by `calls`, which are some of the `exchanges`, each with the call that shows it.

    A request that is lost violates more than the answer to its deletion; other answers are judged each by itself. A
    token may have expired: what a 401 means is no matter of the series.
    """
    if not calls:
        return
    known, own = Facts.of(exchanges), {each.id for each in calls}
    lost = [(life, life.lost) for life in known.ledger.lives.values()]
    found = [(loss(life, missing), missing) for life, missing in lost if missing is not None and missing.id in own]
    for each in calls:
        if each.status != UNAUTHORIZED.status:
            found += [(violation, each) for violation in judge(each, known).violations]
    yield from (pair for pair in found if pair[0].requirement in WANTED)
