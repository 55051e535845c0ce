"""A verifier's statement: a verification summary of SLSA about a recorded run, in an in-toto Statement v1.

`drsiVerification` is a member of our own, as the parsing rules of in-toto allow: what was compared, with which result.
That a summary is PASSED says that the record holds, not that the service conforms; the recorded outcome is beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from conformance import NAME, __version__
from conformance.model.build import build
from conformance.model.verdict import Exit
from conformance.reports import files
from conformance.trust import in_toto

if TYPE_CHECKING:
    from conformance.model.report import Report

PREDICATE_TYPE: Final = "https://slsa.dev/verification_summary/v1"


def subjects(run: Path, *, packed: bool) -> dict[str, str]:
    """Return what a statement about the run at `run` is about: the bundle, or report and evidence of a folder."""
    folder = run if run.is_dir() else run.parent
    about = [run] if packed else [folder / name for name in (files.DATA, files.EVIDENCE)]
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in about if packed or each.is_file()}


def summary(
    about: Mapping[str, str],
    report: Report,
    *,
    command: str,
    resource: str,
    code: int,
    levels: Sequence[str],
    details: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the statement that `command` ended with `code` for the run of a report.

    `resource` is the address of the service, and `levels` name what holds if the code is 0.
    """
    passed = code == Exit.CONFORMS
    suite = report.suite
    return in_toto.statement(
        about,
        PREDICATE_TYPE,
        {
            "verifier": {
                "id": f"urn:{NAME}:{command}",
                "version": {NAME: __version__, f"{NAME}-build": build()},
            },
            "timeVerified": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "resourceUri": resource,
            "policy": {
                "uri": f"urn:{NAME}:catalogue",
                "digest": {"sha256": suite.catalogue.removeprefix("sha256:")},
            },
            "verificationResult": "PASSED" if passed else "FAILED",
            "verifiedLevels": list(levels) if passed else ["FAILED"],
            "drsiVerification": {
                "exitCode": int(code),
                **details,
                "recorded": {
                    "target": report.target.base_url,
                    "outcome": report.outcome,
                    "set": report.scope.set,
                    "nonce": report.run.nonce,
                    "started": report.started,
                    "suite": f"{suite.name} {suite.version}",
                    "build": suite.build,
                },
            },
        },
    )
