"""All variants: a fault or a twin by its name."""

from __future__ import annotations

from conformance.calibration.faults import FAULTS
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Variant


def find_variant(name: str) -> Variant:
    """Return the fault or twin called `name`; raise LookupError if there is none."""
    found = FAULTS.get(name) or TWINS.get(name)
    if found is None:
        raise LookupError(f"no fault and no twin is called {name!r}")
    return found
