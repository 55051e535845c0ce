"""All twins, one module for each clause or theme. Importing a module registers its twins."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from conformance.calibration.variant import TWINS

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["TWINS"]
