"""Twins of several nodes whose identifiers differ: 2.1 asks for randomness, of each of them."""

from __future__ import annotations

import uuid

from conformance.calibration.twins.common import GROWS_WITH_TIME
from conformance.calibration.variant import Acceptable, add_twin
from conformance.reference.call import Call
from conformance.reference.service import Service

_MAY_GROW: Acceptable = GROWS_WITH_TIME | {"2.1-requestId-not-time-ordered": ("warn", "pass")}


def _version_7_in_one_of(nodes: int) -> type[Service]:
    class Changed(Service):
        def new_id(self, call: Call) -> str:
            drawn = super().new_id(call)
            if self.turn("id") % nodes:
                return drawn
            return str(uuid.UUID(hex=f"{self.clock.nanoseconds() // 1_000_000:012x}7{drawn.replace('-', '')[13:]}"))

    return Changed


for _nodes in (2, 3, 4, 8):
    add_twin(
        "2.1",
        f"identifiers-of-version-7-in-one-of-{_nodes}",
        f"One node of {_nodes} has a newer library, which draws version 7; the others draw version 4.",
        _MAY_GROW,
        service=_version_7_in_one_of(_nodes),
    )


def _two_clocks(milliseconds: int) -> type[Service]:
    class Changed(Service):
        def new_id(self, call: Call) -> str:  # noqa: ARG002 drawn without regard to the call
            since = self.clock.moment().timestamp() - 1_583_025_511.5
            clock = int(since * 1000) + milliseconds * (self.turn("id") % 2)
            return str(uuid.UUID(int=clock << 80 | self._random.getrandbits(80)))

    return Changed


for _apart in (5, 20):
    add_twin(
        "2.1",
        f"identifiers-by-two-clocks-{_apart}-milliseconds-apart",
        f"Milliseconds since a moment of its own, by two nodes {_apart} ms apart, and 80 random bits.",
        GROWS_WITH_TIME,
        service=_two_clocks(_apart),
    )
