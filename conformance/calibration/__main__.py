"""`python -m conformance.calibration NAME`: serve a fault or a twin, with the options of `conformance.reference`."""

from __future__ import annotations

import sys

from conformance.calibration.all_variants import find_variant
from conformance.reference.__main__ import main

if __name__ == "__main__":
    variant = find_variant(sys.argv[1])
    main(sys.argv[2:], variant.service, **variant.config)
