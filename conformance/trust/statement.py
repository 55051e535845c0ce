"""The statement that is signed: an in-toto Statement v1 with the predicate "test result" about one run.

Its subject is manifest.json, which names the digest of every other file. `drsiRun` is a member of our own, as the
parsing rules of in-toto allow: which service was checked, when, for which challenge, and the outcome in our terms.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from conformance.model.verdict import Outcome, Verdict
from conformance.trust import in_toto
from conformance.trust.bundle import MANIFEST, SUITE

_PREDICATE_TYPE: Final = "https://in-toto.io/attestation/test-result/v0.1"

_RESULTS: Final = {
    Outcome.CONFORMS: "PASSED",
    Outcome.CONFORMS_IN_PART: "WARNED",
    Outcome.CONFORMS_WITH_WAIVERS: "WARNED",
    Outcome.DOES_NOT_CONFORM: "FAILED",
    Outcome.INCONCLUSIVE: "FAILED",
}
"""The predicate has no word for "inconclusive". Who accepts no FAILED must not accept such a run either."""

_LISTS: Final = {"passedTests": Verdict.PASS, "warnedTests": Verdict.WARN, "failedTests": Verdict.FAIL}


def statement(report: Mapping[str, Any], manifest: bytes) -> dict[str, Any]:
    """Return the statement about the run of `report`, in the bundle that `manifest` describes."""
    tests = {
        name: [row["id"] for row in report["requirements"] if row["verdict"] == verdict and row.get("scored", True)]
        for name, verdict in _LISTS.items()
    }
    result = _RESULTS[Outcome(report["outcome"])]
    options = json.dumps(report["run"]["options"], sort_keys=True, separators=(",", ":")).encode()
    rules = {
        name: entry["sha256"]
        for name, entry in json.loads(manifest)["files"].items()
        if name.startswith(("catalogue/", "schemas/", SUITE))
    }
    return in_toto.statement(
        {MANIFEST: hashlib.sha256(manifest).hexdigest()},
        _PREDICATE_TYPE,
        {
            "result": "WARNED" if result == "PASSED" and tests["warnedTests"] else result,
            "configuration": [
                *({"name": name, "digest": {"sha256": digest}} for name, digest in sorted(rules.items())),
                {"name": "options", "digest": {"sha256": hashlib.sha256(options).hexdigest()}},
            ],
            **tests,
            "drsiRun": {
                "target": report["target"]["base_url"],
                "outcome": report["outcome"],
                "alerts": report["alerts"],
                "nonce": report["run"]["nonce"],
                "seed": report["seed"],
                "started": report["started"],
                "finished": report["finished"],
                "suite": f"{report['suite']['name']} {report['suite']['version']}",
                "set": report["scope"]["set"],
                "edition": report["suite"]["edition"],
                "build": report["suite"]["build"],
            },
        },
    )


def differences(signed: object, expected: Mapping[str, Any], path: str = "") -> list[str]:
    """Return the members of `expected` that `signed` states otherwise, such as "predicate.result"."""
    if not isinstance(signed, dict):
        return [path or "the whole statement"]
    found = []
    for name, value in expected.items():
        place = f"{path}.{name}" if path else name
        if isinstance(value, dict):
            found += differences(signed.get(name), value, place)
        elif signed.get(name) != value:
            found.append(place)
    return found
