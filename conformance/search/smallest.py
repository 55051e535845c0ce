"""The smallest example that still shows a fault, found with few questions: the boldest simplification goes first.

Hypothesis would shrink with hundreds of calls; here each one is put to somebody's service. What is known of a case
(its parts, and which of them matter most) leads to its smallest form in about ten.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from conformance.model.errors import NotDecided

_Case = TypeVar("_Case", bound=Hashable)
_Proof = TypeVar("_Proof")


@dataclass
class Allowance:
    """How many exchanges may still be spent on making examples smaller."""

    left: int

    def spend(self, exchanges: int) -> bool:
        """Take so many exchanges; return False when there are not enough left."""
        if exchanges > self.left:
            return False
        self.left -= exchanges
        return True


def smallest(
    case: _Case,
    proof: _Proof,
    simpler: Callable[[_Case], Iterable[_Case]],
    prove: Callable[[_Case], _Proof | None],
    affordable: Callable[[_Case], bool],
) -> tuple[_Case, _Proof]:
    """Return the smallest case that `prove` gives a proof of, beginning with `case` and its `proof`.

    `simpler` yields what to try in place of a case, the boldest first; what is not `affordable` is not tried. When the
    target cannot be asked any more, the smallest so far counts.
    """
    tried = {case}
    while True:
        for candidate in simpler(case):
            if candidate in tried or not affordable(candidate):
                continue
            tried.add(candidate)
            try:
                shown = prove(candidate)
            except NotDecided:
                return case, proof
            if shown is not None:
                case, proof = candidate, shown
                break
        else:
            return case, proof
