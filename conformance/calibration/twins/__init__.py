"""All twins, one module for each clause or theme. Importing a module registers its twins."""

from __future__ import annotations

from conformance.calibration.variant import TWINS, load

load(__name__, __path__, TWINS)

__all__ = ["TWINS"]
