"""The steps of action.yml, run with a wheel in place of the action's folder against the reference service.

Usage: action_from_wheel.py WHEEL FOLDER, with pyyaml installed. The exit code is 0 when the action says that a service
conforms in the part that was tried, and that one with a fault does not.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from subprocess import PIPE, Popen

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from composite_action import Step  # the tests of action.yml run its steps in the same way


def main(wheel: Path, folder: Path) -> None:
    """Install the suite as the action does, and check two services with it, by one clause each."""
    folder.mkdir(parents=True)
    # Where packages come from, and which certificates pip trusts: a runner has this in its environment as well.
    packages = {key: value for key, value in os.environ.items() if key.startswith("PIP_") or key == "HOME"}
    python = {"PYTHON": sys.executable, "GITHUB_ACTION_PATH": str(wheel.resolve())}
    _expect(Step(folder, "Install the suite", {}, **packages, **python), 0)

    _check(folder, [], 0, "conforms-in-part")
    _check(folder, ["--fault", "settings-legal-entity-absent"], 1, "does-not-conform")


def _check(folder: Path, options: list[str], code: int, outcome: str) -> None:
    suite = folder / "temp" / "drsi-conformance" / "bin" / "drsi-conformance"
    with Popen([suite, "serve", "--json", *options], stdout=PIPE, text=True) as service:
        try:
            assert service.stdout is not None
            served = json.loads(service.stdout.readline())
            tokens = dict(zip(("token", "other-token"), served["tokens"], strict=True))
            # One clause is enough: the tests run every input, and .ci/release every clause.
            inputs = {"base-url": served["base_url"], "arguments": "--only 1.4 --empty-account", "sarif": "true"}
            step = Step(folder, "Check the service", inputs | tokens)
        finally:
            service.terminate()
    _expect(step, code)
    expected = {"exit-code": str(code), "outcome": outcome}
    assert step.outputs == expected, f"Expected the outputs {expected}, received {step.outputs}."
    assert (folder / "drsi-conformance-report" / "results.sarif").is_file()
    assert (folder / "GITHUB_STEP_SUMMARY").read_text("utf-8").startswith("## DRSI conformance")


def _expect(step: Step, code: int) -> None:
    received = step.done.returncode
    assert received == code, f"Expected exit code {code}, received {received}:\n{step.done.stdout}{step.done.stderr}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
