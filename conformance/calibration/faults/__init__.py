"""All faults, one module for each clause or theme. Importing a module registers its faults."""

from __future__ import annotations

from conformance.calibration.variant import FAULTS, load

load(__name__, __path__, FAULTS)

__all__ = ["FAULTS"]
