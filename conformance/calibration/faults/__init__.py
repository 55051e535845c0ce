"""All faults, one module for each clause or theme. Importing a module registers its faults."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from conformance.calibration.variant import FAULTS

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["FAULTS"]
