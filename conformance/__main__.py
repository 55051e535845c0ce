"""`python -m conformance`: the same as the command `drsi-conformance`."""

from __future__ import annotations

from conformance.cli import main

if __name__ == "__main__":
    main()
