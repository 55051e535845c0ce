"""`audit` with a target that leaves a data request: the audits of later weeks go on with it (docs/two-visits.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from audited import TOKENS, audits, document, target, write
from cli_services import Command, report_of, served

pytestmark = pytest.mark.usefixtures("folder")
OF_COMPLETION = ("2.1-completedAt-value", "3-deletes-completed", "8-completed-do-not-count")
LINES = (
    'token = "variable:TOKEN_OF_A"',
    'other_token = "variable:TOKEN_OF_B"',
    f"only = {json.dumps([*OF_COMPLETION, '4.4'])}",
    "empty_account = true",
)


def test_audits_judge_and_delete_a_request_that_stayed_for_weeks(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, token in TOKENS.items():
        monkeypatch.setenv(name, token)

    with served() as service:

        def audit(*lines: str, options: tuple[str, ...] = ()) -> Any:
            done = command("audit", write(target("a", service.base_url, *LINES, *lines)), *options)
            assert done.code == 0, done.err
            (found,) = document()["targets"]
            assert (found["left_behind"], found["not_found"]) == (0, 0)
            assert report_of(run())["confirmations"] == ["empty-account"]
            return found["message"]

        def run() -> Path:
            return audits()[-1] / "runs" / "a"

        assert "stays at the service on purpose (--leave)." in audit("leave = true")
        (left,) = service.held
        assert f"{left}, which an earlier run made on" in audit("leave = true")
        assert service.held == {left}
        service.service.complete_request(left)

        # A journal that another user may have written names nothing that is deleted.
        monkeypatch.setenv("XDG_STATE_HOME", str(Path("another").resolve()))
        calls = len(service.calls)
        refused = command("audit", "targets.toml")
        assert (refused.code, "nothing shows that you made this run" in refused.err) == (2, True)
        assert len(service.calls) == calls

        assert "was completed" in audit("leave = true", options=("--continue",))
        verdicts = {row["id"]: row["verdict"] for row in report_of(run())["requirements"]}
        assert {verdicts[each] for each in OF_COMPLETION} == {"pass"}
        assert (left in service.held, service.live) == (False, 1)

        (run() / "evidence.har").unlink()
        (left,) = service.held
        assert "What an earlier run left on purpose was deleted and not judged: --resume:" in audit("leave = true")
        assert (left in service.held, service.live) == (False, 1)

        Path("targets.toml").write_text(target("b", service.base_url, *LINES), "utf-8")
        other = command("audit", "targets.toml")
        assert "a left a data request at" in other.err
        assert (report_of(run().with_name("b"))["confirmations"], service.live) == ([], 1)

        assert command("audit", write(target("a", service.base_url, *LINES))).code == 0
        assert service.live == 0
