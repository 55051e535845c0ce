"""What is known from earlier runs (waivers, --baseline, compare), and runs that follow them: --repeat and others."""

from __future__ import annotations

import json
import os
import signal
import tomllib
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import report_samples as samples
from cli_services import OTHER_TOKEN, TOKEN, Command, Started, report_of, served
from older_set import ID, Misspelt
from platforms import POSIX_SIGNALS
from stored_runs import recorded_run

from conformance.calibration.faults import FAULTS
from conformance.cli.output import OutputFolder
from conformance.http.creations import journal_file
from conformance.model.verdict import Outcome
from conformance.reference.call import Call
from conformance.run.calls import Calls
from conformance.trust import archive, bundle

SELECTED = ("--profile", "public", "--only", f"{ID},4.4", "--quiet")
WAIVERS = "drsi-conformance-waivers.toml"

pytestmark = pytest.mark.usefixtures("tokens")


def test_from_a_failure_to_a_waiver_and_back(command: Command, folder: Path) -> None:
    with served(Misspelt) as service:
        check = ("check", service.base_url, *SELECTED, "--output", "out")
        assert command(*check).code == 1
        assert command("waive", "out").code == 0
        (written,) = tomllib.loads((folder / WAIVERS).read_text("utf-8"))["waiver"]
        assert (written["requirement"], written["reason"], written["owner"]) == (ID, "", "")
        assert written["expires"] > datetime.now(UTC).date()

        again = command("waive", "out")
        assert (again.code, "exists, and is not overwritten" in again.err) == (2, True)
        refused = command(*check)
        assert (refused.code, f"waiver 1 ({ID}): fill in the reason" in refused.err) == (2, True)

        filled = (folder / WAIVERS).read_text("utf-8").replace('""', '"Ticket 12"')
        (folder / WAIVERS).write_text(filled, "utf-8")
        assert command("trust").code == 0
        result = command(*(each for each in check if each != "--quiet"))
        assert result.code == 0, result.out + result.err
        assert f" {ID}: " in result.err
        report = report_of(folder / "out")
        assert (report["outcome"], report["summary"]["waived"]) == ("conforms-with-waivers", 1)
        assert f"Failed and waived (1)\n\nWAIVED {ID}\n" in result.out
        assert f"Conforms with waivers  {service.base_url}\n" in result.out
        assert "Failed (" not in result.out
        assert samples.errors_of(report) == []
        assert command("waive", "out", "--output", "next.toml").out.endswith("if you name it with --waivers.\n")
        assert 'reason = "Ticket 12"' in (folder / "next.toml").read_text("utf-8")

        (folder / WAIVERS).write_text(filled.replace(str(written["expires"]), "2020-02-29"), "utf-8")
        assert command("trust").code == 0
        result = command(*check)
        assert (result.code, report_of(folder / "out")["outcome"]) == (1, "does-not-conform")
        assert f"1 stale waiver fails the run: {ID} expired." in " ".join(result.out.split())


def test_what_the_service_said_stays_in_the_comments_of_the_file(command: Command, folder: Path) -> None:
    report = samples.report(findings=samples.broken_findings(samples.HOSTILE))
    (folder / "report.json").write_text(json.dumps(samples.data(report)), "utf-8")

    assert command("waive", "report.json").code == 0

    document = tomllib.loads((folder / WAIVERS).read_text("utf-8"))
    assert {key for each in document["waiver"] for key in each} == {"requirement", "reason", "owner", "expires"}
    assert {type(each["expires"]) for each in document["waiver"]} == {date}


def test_a_baseline_lets_known_failures_pass_and_no_others(command: Command, folder: Path) -> None:
    good = samples.data(samples.report(Outcome.CONFORMS, findings={}))
    (folder / "good.json").write_text(json.dumps(good), "utf-8")
    with served(Misspelt) as service:
        check = ("check", service.base_url, *SELECTED, "--output")
        new = command(*check, "bad", "--baseline", "good.json")
        known = command(*check, "worse", "--baseline", "bad/report.json")
        service.service.mended = True
        gone = command(*check, "mended", "--baseline", "bad")

    assert (new.code, f": 1 failure, 1 ({ID}) new." in new.out) == (1, True)
    assert known.code == 0
    assert known.out.endswith(
        ": 1 failure, none new.\nThe service does not conform. With --baseline the exit code is 0.\n"
    )
    assert report_of(folder / "worse")["outcome"] == "does-not-conform"
    assert (gone.code, "1 failure of the baseline did not occur. Record a new baseline." in gone.out) == (0, True)


def test_compare_exits_with_1_if_something_got_worse(command: Command, folder: Path) -> None:
    for name, failing in (("a", [ID]), ("b", [ID, "4.4-object"])):
        recorded_run(folder / name, failing=failing)

    printed = command("compare", "a", "b/report.json", "--format", "markdown")
    written = command("compare", "a", "b", "--format", "markdown", "--output", "c.md")

    assert (printed.code, written.code, command("compare", "b", "a").code) == (1, 1, 0)
    assert (folder / "c.md").read_text("utf-8") == printed.out
    assert written.out.startswith("c.md: ")


def test_a_profile_is_text_a_page_or_data_and_tells_two_services_apart(command: Command, folder: Path) -> None:
    for name, message in (("a", "404: 3 answers, such as that to GET /requests/x."), ("b", "400.")):
        recorded_run(folder / name, observed={"4.2-odd-identifiers": message})

    chosen = "\n4.2-odd-identifiers\n{}  404 (3 answers, e1)\n"
    assert chosen.format("") in command("profile", "a").out
    assert chosen.format("first:\n") + "second:\n  400 (e1)\n" in command("profile", "a", "b").out
    (differing,) = json.loads(command("profile", "a", "b", "--json").out)["differences"]
    assert [each["words"] for each in differing["second"]["choices"]] == ["400"]
    assert command("profile", "a", "--output", "page.html").out == "page.html\n"
    assert "<code>404</code>" in (folder / "page.html").read_text("utf-8")
    for name, old, new in (("a/evidence.har", '"status": 200', '"status": 201'), ("b/report.json", "400.", "500.")):
        file = folder / name
        file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
        refused = command("profile", name.split("/")[0])
        assert (refused.code, refused.out) == (2, "")
        assert "was altered: " in refused.err


# ------------------------------------------------------------------ runs that follow


PUBLIC = ("--profile", "public")
WAITING = "Waiting for a change in"


class Unstable(Misspelt):
    """Spells the languages wrongly in its first answer."""

    def settings(self, call: Call) -> Any:
        settings = super().settings(call)
        self.mended = True
        return settings


def test_a_failure_of_one_run_is_unstable_and_all_of_it_is_verified(command: Command, folder: Path) -> None:
    narrow = ("--only", f"{ID},4.4", "--quiet", "--output", "out")
    with served(Unstable) as service:
        result = command("check", service.base_url, *PUBLIC, *narrow, "--repeat", "2")
    verified = command("verify", "out")

    assert result.code == 1, result.out + result.err
    assert "Unstable (1 of 2): fail in repetition 1; pass in repetition 2." in " ".join(result.out.split())
    report = report_of(folder / "out")
    assert [each["outcome"] for each in report["repetitions"]] == ["does-not-conform", "conforms-in-part"]
    assert report["complete"]
    assert report["run"]["options"]["repeat"] == 2
    assert "flakyFailure" in Path("out/junit.xml").read_text("utf-8")
    assert {each.name for each in Path("out").iterdir()} >= {"repetition-1", "repetition-2", "evidence.har"}
    assert verified.code == 0, verified.out + verified.err
    assert "The joined report follows from its 2 repetitions." in verified.out

    bundled = command("bundle", "out")
    assert (bundled.code, "Pack each of its repetitions: repetition-1, repetition-2." in bundled.err) == (2, True)
    whole = {each.relative_to("out").as_posix(): each.read_bytes() for each in Path("out").rglob("*") if each.is_file()}
    archive.write(Path("forged.zip"), whole | {bundle.MANIFEST: bundle.manifest(whole)})
    forged = command("verify", "forged.zip", "--tsa-ca", "absent.pem")
    assert (forged.code, "it joins several runs" in forged.err) == (2, True)

    Path("out/repetition-1").rename("out/moved")
    Path("out/repetition-2").rename("out/repetition-1")
    Path("out/moved").rename("out/repetition-2")
    exchanged = command("verify", "out")
    assert (exchanged.code, "not made one after another" in exchanged.out) == (1, True)


def verdicts_of(run: Path) -> dict[str, str]:
    return {row["id"]: row["verdict"] for row in report_of(run)["requirements"] if row["verdict"] != "not-tested"}


def test_what_failed_in_the_last_run_is_repeated(command: Command, folder: Path) -> None:
    (folder / "reports" / "broken").mkdir(parents=True)
    (folder / "reports" / "broken" / "report.json").write_text("{", "utf-8")

    def last() -> Any:
        reports = [report_of(file.parent) for file in folder.glob("reports/[!b]*/report.json")]
        return max(reports, key=lambda report: str(report["started"]))

    with served(Misspelt) as service:
        check = ("check", service.base_url, *PUBLIC)
        assert command(*check, only=(ID, "4.4")).code == 1
        service.service.mended = True
        repeated = command(*check, "--last-failed", only=(ID, "4.4"))
        assert (repeated.code, last()["scope"]["only"]) == (0, [ID])
        assert "Repeating 1 requirement that failed or could not be decided in " in repeated.err
        assert f"only the checks of {ID};" in repeated.err
        whole = command(*check, "--last-failed", only=(ID, "4.4"))
        assert (whole.code, last()["scope"]["only"]) == (0, [])
        assert "nothing is left out" in whole.err


def test_a_failure_that_the_calls_of_another_check_show_is_repeated_with_that_check(
    command: Command, folder: Path
) -> None:
    row = "2.1-isCompleted"
    with served(FAULTS["is-completed-absent-on-read"].service) as service:
        first = command("check", service.base_url, "--only", f"{row},4.2-answers-200", "--output", "runs/one")
        again = command("check", service.base_url, "--last-failed", "--output", "runs/two")

    assert (first.code, verdicts_of(folder / "runs" / "one")[row]) == (1, "fail")
    assert (again.code, verdicts_of(folder / "runs" / "two")[row]) == (1, "fail"), again.err
    assert "and 2 whose calls showed it" in again.err  # those of one request, and those of sequences


@POSIX_SIGNALS
def test_a_check_is_repeated_after_a_change_until_a_signal(folder: Path) -> None:
    (folder / "src").mkdir()
    watch = ("--watch", ".", *PUBLIC, "--only", f"{ID},4.4", "--output", "out")
    with (
        served(Misspelt) as service,
        Started(folder, "check", service.base_url, *watch, DRSI_TOKEN=TOKEN, DRSI_OTHER_TOKEN=OTHER_TOKEN) as run,
    ):
        run.awaits(WAITING)
        run.awaits("Does not conform", "out")
        service.service.mended = True
        (folder / "src" / "service.py").write_text("", "utf-8")
        run.awaits(f"{Path('src') / 'service.py'} has changed.")
        run.awaits("Conforms in part", "out")
        run.awaits(WAITING, times=2)
        os.killpg(run.process.pid, signal.SIGINT)
        assert run.ended() == 0
    assert run.err.count(WAITING) == 2, run.err


def test_a_waiver_that_changes_between_two_runs_is_not_trusted(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a check waits for changes, a pull may bring other waivers."""

    def repeated(path: Path, run: Callable[[], int], *_: object, **__: object) -> int:  # noqa: ARG001
        first = run()
        waivers.write_text(f"{waiver}# \n", "utf-8")
        return max(first, run())

    waivers = Path("known.toml")
    waiver = '[[waiver]]\nrequirement = "4.4-answers-200"\nreason = "r"\nowner = "o"\nexpires = 9999-12-31\n'
    waivers.write_text(waiver, "utf-8")
    Path("drsi-conformance.toml").write_text("waivers = 'known.toml'\nstale-waivers = 'warn'\n", "utf-8")
    assert command("trust").code == 0

    monkeypatch.setattr("conformance.cli.watch.repeated", repeated)
    with served() as service:
        result = command("check", service.base_url, "--watch", ".", *PUBLIC, "--only", "4.4", "--output", "out")
    assert (result.code, "known.toml has changed since it was trusted" in result.err) == (2, True)
    assert report_of(Path("out"))["outcome"] == "conforms-in-part"


OF_COMPLETION = ("2.1-completedAt-value", "3-deletes-completed", "8-completed-do-not-count")


def test_a_request_that_one_run_leaves_is_judged_and_deleted_by_another(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served() as service, served() as elsewhere:
        check = ("check", service.base_url, "--empty-account", "--quiet", "--output")
        first = command(*check, "first", "--leave", only=(*OF_COMPLETION, "4.4"))
        assert (first.code, len(service.held)) == (0, 1)
        (left,) = service.held
        assert f"The data request {left} stays at the service on purpose" in " ".join(first.out.split())

        # Another run knows that the account is not empty, and another address never gets the request.
        refused = command(*check, "second", only=(*OF_COMPLETION, "4.4"))
        assert (refused.code, "created 1 data request that nothing has deleted: first/" in refused.err) == (2, True)
        assert "Add --resume first to go on with it." in refused.err
        kept = command(*check, "kept", "--cleanup-first", only=("4.4",))
        assert (kept.code, service.held, report_of(folder / "kept")["confirmations"]) == (0, {left}, [])
        assert "nothing but the data request that it left" in command("cleanup", "first", "--keep-left").out
        asked = command("check", elsewhere.base_url, "--quiet", "--resume", "first")
        assert (asked.code, "Name the BASE_URL of that run." in asked.err, elsewhere.calls) == (2, True, [])

        with monkeypatch.context() as interrupted:
            interrupted.setattr(Calls, "_look_again", Mock(side_effect=KeyboardInterrupt))
            early = command(*check, "early", "--resume", "first", only=(*OF_COMPLETION, "4.4"))
        assert (early.code, journal_file.read(folder / "first" / "journal.jsonl").left) == (3, left)
        same = command(*check, "first", "--resume", "first")
        assert (same.code, "first is the folder of the run of --resume" in same.err) == (2, True)

        waiting = command(*check, "second", "--resume", "first", only=(*OF_COMPLETION, "4.4"))
        assert (waiting.code, service.held) == (0, {left})
        service.service.complete_request(left)
        stale = command(*check, "third", "--resume", "first")
        assert (stale.code, "a later run goes on with it." in stale.err) == (2, True)
        last = command(*check, "third", "--resume", "second", only=(*OF_COMPLETION, "4.4"))
        assert (last.code, service.held) == (0, set())
        verdicts = {row["id"]: row["verdict"] for row in report_of(folder / "third")["requirements"]}
        assert {verdicts[each] for each in OF_COMPLETION} == {"pass"}
        assert command("verify", "third").code == 0

        nothing = command(*check, "fourth", "--resume", "third", only=(*OF_COMPLETION, "4.4"))
        assert (nothing.code, "third left no data request at the service" in nothing.err) == (2, True)
        assert command("cleanup", "first").out.startswith("first/journal.jsonl: nothing is left of this run")
        assert command(*check, "fourth", "--leave", only=(*OF_COMPLETION, "4.4")).code == 0

        # What the other user does not find is still there.
        with monkeypatch.context() as swapped:
            swapped.setenv("DRSI_TOKEN", OTHER_TOKEN)
            swapped.setenv("DRSI_OTHER_TOKEN", TOKEN)
            assert command(*check, "other", "--resume", "fourth", only=(*OF_COMPLETION, "4.4")).code == 0
        assert {journal_file.read(folder / "fourth" / "journal.jsonl").left} == service.held

        # A run that crashes after it left another one keeps the journal that names it.
        service.service.complete_request(*service.held)
        monkeypatch.setattr(OutputFolder, "write", Mock(side_effect=RuntimeError))
        crashed = command(*check, "fifth", "--leave", "--resume", "fourth", only=(*OF_COMPLETION, "4.4"))
        assert (crashed.code, service.live) == (4, 1)
        assert (command("cleanup", "fifth").code, service.live) == (0, 0)
