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

if TYPE_CHECKING:
    from conformance.model.report import Report

_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "https://slsa.dev/verification_summary/v1"

Descriptor = dict[str, Any]
"""A file in the form of in-toto: its name and its digest."""


def subjects(run: Path, *, packed: bool) -> list[Descriptor]:
    """Return what a statement about the run at `run` is about: the bundle, or report and evidence of a folder."""
    if packed:
        return [_described(run)]
    folder = run if run.is_dir() else run.parent
    return [_described(folder / name) for name in (files.DATA, files.EVIDENCE) if (folder / name).is_file()]


def _described(file: Path) -> Descriptor:
    with file.open("rb") as content:
        return {"name": file.name, "digest": {"sha256": hashlib.file_digest(content, "sha256").hexdigest()}}


def summary(
    about: Sequence[Descriptor],
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
    return {
        "_type": _TYPE,
        "subject": list(about),
        "predicateType": PREDICATE_TYPE,
        "predicate": {
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
    }
