"""Runs the faults of the limit with and without --empty-account: nothing may pass without it that fails with it.

`python benchmarks/confirmations.py` tries every fault of clauses 3, 4.1, 7 and 8, which takes some minutes.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from conformance.calibration.faults import FAULTS
from conformance.calibration.run_one import Job, Kind, attempt
from conformance.model.verdict import Verdict

CLAUSES: Final = ("3-", "4.1-", "7-", "8-")


def compared(name: str) -> list[str]:
    """Return, in words, each requirement that passes without the confirmation and fails with it."""
    confirmed, alone = (attempt(Job(kind=Kind.FAULT, name=name, confirmed=given)).verdicts for given in (True, False))
    return [
        f"{name}: {requirement} passes without --empty-account, and fails with it."
        for requirement, verdict in confirmed.items()
        if verdict is Verdict.FAIL and alone.get(requirement) is Verdict.PASS
    ]


def main() -> int:
    """Compare the faults; return 1 if one passes without the confirmation."""
    names = [fault.name for fault in FAULTS.values() if any(each.startswith(CLAUSES) for each in fault.broken)]
    with ProcessPoolExecutor() as pool:
        wrong = [line for lines in pool.map(compared, names) for line in lines]
    print("\n".join([*wrong, f"{len(names)} faults compared, {len(wrong)} differences."]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
