"""What the evidence of a run gives again, as it is written to the disk."""

from __future__ import annotations

import json
from typing import Any

from conformance.runner.run import Run
from conformance.runner.verify import Verification, verify

Json = dict[str, Any]


def written(run: Run) -> tuple[Json, Json]:
    """Return the report and the evidence of a run as other programs read them."""
    report, evidence = json.loads(json.dumps([run.data, run.evidence]))
    return report, evidence


def verified(run: Run) -> Verification:
    """Return the verification of a run."""
    return verify(*written(run))


def differences(run: Run) -> list[str]:
    """Return, in words, what the evidence of a run does not give again."""
    found = verified(run)
    return [*found.damage, *(f"{each.requirement} {each.what}: {each}" for each in found.differences)]
