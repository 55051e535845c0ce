"""`audit`: several services in one command, and what its results say."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import bundles
import pytest
from audited import PUBLIC, UNREACHABLE, audits, document, prepared, target, write
from cli_services import TOKEN, Command, Gate, names_in, served
from platforms import POSIX_COMMANDS, SYMBOLIC_LINKS
from stored_runs import recorded_run

from conformance.fleet import moments
from conformance.fleet.audit import folders, one_run
from conformance.fleet.commands.audit_options import targets_of
from conformance.http import processes
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

pytestmark = pytest.mark.usefixtures("folder")
URL = "https://a.example"


@POSIX_COMMANDS
def test_an_audit_and_the_next_one(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {"good": recorded_run(folder / "1"), "other": recorded_run(folder / "2"), "dead": UNREACHABLE}
    words = prepared(monkeypatch, runs)
    path = write(
        target("good", URL, PUBLIC, 'labels = { case = "4711" }'), target("other", URL, PUBLIC), target("dead", URL)
    )
    arguments = ("audit", path, "--notify-command", "sh -c 'cat > told.json'")
    first = command(*arguments)
    runs["other"] = recorded_run(folder / "3", 2, failing=["2.3-organisationName"])
    second = command(*arguments, "--changed-only")
    assert (first.code, second.code) == (3, 1)
    one, two = map(document, audits())

    assert [(each["name"], each["state"], each["outcome"]) for each in one["targets"]] == [
        ("good", "finished", "conforms"),
        ("other", "finished", "conforms"),
        ("dead", "unreachable", None),
    ]
    assert (one["targets"][2]["attempts"], one["targets"][2]["message"]) == (3, "Nothing answers. Look there.")
    assert (one["previous"], one["changes"], one["exit_code"]) == (None, [], 3)
    assert "2 conforms, 1 unreachable" in first.out
    assert "dead  unreachable, will be tried again" in first.err
    assert [f"--output={audits()[0].resolve()}/unfinished/" in each[1] for each in words] == [True] * 5 + [False] * 5
    assert ["--label=case=4711" in each for each in words[:5]].count(True) == 1
    assert all("--anonymous" in each for each in words)
    assert names_in(audits()[0]) == {"audit.json", "runs", "unfinished"}
    assert names_in(audits()[0] / "unfinished") == set()

    changed = two["changes"]
    assert [(each["name"], each["before"], each["after"]) for each in changed] == [
        ("other", "conforms", "does-not-conform")
    ]
    assert "2.3-organisationName" in [each["id"] for each in changed[0]["worse"]]
    assert "other  conforms → does-not-conform" in second.out
    assert "  worse  2.3-organisationName: pass → fail" in second.out
    assert "good" not in second.out
    told = json.loads(Path("told.json").read_text("utf-8"))
    assert (told["regressions"], told["unreachable"]) == (changed, ["dead"])


@SYMBOLIC_LINKS
def test_an_unfinished_audit_of_others_decides_nothing(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that somebody sent can have results that no run gave, and links that lead out of it."""
    prepared(monkeypatch, {"one": recorded_run(folder / "run")})
    path = write(target("one", URL, PUBLIC))
    assert command("audit", path).code == 0
    (own,) = audits()
    sent = Path("sent/20990101T000000Z")
    sent.parent.mkdir()
    own.rename(sent)
    (sent / "audit.json").unlink()
    (sent / "unfinished").rmdir()
    (sent / "unfinished").symlink_to(folder)
    (folder / "one/photos").mkdir(parents=True)

    refused = command("audit", path, "--output", "sent")
    assert (refused.code, refused.out) == (2, "")
    assert "20990101T000000Z is not known to be yours" in refused.err
    assert (folder / "one/photos").is_dir()

    (sent / "unfinished").unlink()
    known = command("audit", path, "--output", "sent", "--continue")
    assert known.code == 0
    assert "1 run finished before" in known.err


def test_an_unreachable_service_is_on_the_site(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that gives no answer is missed by who reads the results, if only those with a report are shown."""
    runs = {"gone": recorded_run(folder / "run", base_url=URL), "never": UNREACHABLE}
    prepared(monkeypatch, runs)
    path = write(target("gone", URL), target("never", "https://never.example"))
    arguments = ("audit", path, "--store", "audits.sqlite")
    assert command(*arguments).code == 3
    runs["gone"] = UNREACHABLE
    assert command(*arguments).code == 3

    done = command("site", "audits.sqlite", "public", "--language", "en", "--language", "nl")
    assert done.out.startswith("1 service, 0 failing, 0 regressions, 2 without a report in the latest audit")
    first, last = json.loads(Path("public/data/audits.json").read_bytes())[::-1]
    assert [(each["runs"], each["unreported"]) for each in (first, last)] == [(1, 1), (0, 2)]
    (of_gone,) = Path("public/services").glob("gone*.html")
    for page in ("index.html", f"audits/{last['audit']['id']}.html"):
        table = Path("public", page).read_text("utf-8").partition('<h2 id="without-report">')[2]
        assert (table.count(">unreachable</span>"), table.count("Nothing answers")) == (2, 2)
        assert (f"services/{of_gone.name}" in table, "services/never" in table) == (True, False)
        assert ">onbereikbaar</span>" in Path("public/nl", page).read_text("utf-8")
    assert "unreachable</span>" in of_gone.read_text("utf-8")
    unreported = json.loads(Path("public/data/unreported.json").read_bytes())
    assert [each["target"] for each in unreported] == ["gone", "never"]


def test_what_the_file_of_the_targets_permits_to_publish_is_in_the_store(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("consents", "by-law", "silent")
    urls = {name: f"https://{name}.example" for name in names}
    prepared(monkeypatch, {name: recorded_run(folder / name, base_url=urls[name]) for name in names})
    lines = ("publish_consent = 'letter 4711'", "publish_authority = 'law 12'", "")
    path = write(*(target(name, urls[name], line) for name, line in zip(names, lines, strict=True)))
    audit = ("audit", path, "--store", "audits.sqlite")
    assert command(*audit).code == 0
    sign = ("--register", "--sign", str(bundles.key(folder)))
    site = ("site", "audits.sqlite", "register", *sign)
    monkeypatch.setattr(moments, "now", lambda: "2026-03-01T05:00:00.000Z")
    assert command(*site).out.startswith("2 services, 2 status documents")
    documents = [each for each in Path("register/status").iterdir() if ".dsse" not in each.name]
    found = [json.loads(each.read_bytes()) for each in documents]
    assert {each["service"]["name"]: each["published_by"] for each in found} == {
        "consents": "consent",
        "by-law": "authority",
    }

    command("store", "unpublish", "audits.sqlite", "by-law")
    (audits()[-1] / "audit.json").unlink()  # so that the audit is concluded again, without a run
    assert "by-law is not published: by the store, its authority ended on" in command(*audit).err
    assert command(*site).out.startswith("1 service, 1 status document")


def test_an_audit_is_anonymous_unless_a_target_or_the_option_names_it() -> None:
    write(target("a", URL), target("b", URL, "anonymous = false"), target("c", URL, 'nonce = "4711"', "rate = 2"))

    def given(*, anonymous: bool) -> list[tuple[str, ...]]:
        found = targets_of(Path("targets.toml"), rate=5, anonymous=anonymous, tokens_are_here=True)
        return [each.arguments for each in found]

    assert [{*each} for each in given(anonymous=True)] == [
        {"--rate=5", "--anonymous"},
        {"--rate=5", "--no-anonymous"},
        {"--rate=2", "--nonce=4711"},
    ]
    assert given(anonymous=False)[0] == ("--rate=5",)


INTENDED = {"event": "intend", "credential": "user"}
CREATED = {"event": "created", "id": "r1", "credential": "user"}


@pytest.mark.parametrize(
    ("events", "number"),
    [([INTENDED], "left_behind"), ([INTENDED, CREATED, {"event": "not found", "id": "r1"}], "not_found")],
)
def test_what_an_earlier_run_left_accuses_no_service(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch, events: list[dict[str, str]], number: str
) -> None:
    """Later runs lack the confirmation, until the journal is removed."""
    left = recorded_run(folder / "left")
    begun = {"event": "begin", "base_url": URL, "started": "2026-02-01T12:00:00Z", "host": "h", "process": "1"}
    (left / "journal.jsonl").write_text("".join(json.dumps(each) + "\n" for each in (begun, *events)), "utf-8")
    runs = {"a": left}
    words = prepared(monkeypatch, runs)

    def audit() -> Any:
        command("audit", write(target("a", URL, "empty_account = true")))
        return document()["targets"][0]

    assert audit()[number] == 1
    assert "--empty-account" in words[0]
    runs["a"] = recorded_run(folder / "clean", 2)
    for _ in range(2):  # also after a run that left nothing itself
        assert audit()["message"].startswith("This run was made without the confirmation empty_account")
        assert ("--empty-account" in words[-1], "--label=empty-account=not confirmed" in words[-1]) == (False, True)

    next(Path("audits").rglob("journal.jsonl")).unlink()
    audit()
    assert "--empty-account" in words[-1]


def test_what_a_run_left_that_had_to_be_killed_is_deleted(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_A", TOKEN)
    gate = Gate()

    class Here(Service):
        """Answers no deletion until the process of the run is ended."""

        async def delete(self, call: Call) -> Reply:
            await gate.pass_through()
            return await super().delete(call)

    def end(process: Any) -> None:
        processes.end(process)
        gate.open.set()

    class Clock:
        """Is past the deadline when the run waits for the answer to a deletion."""

        sleep = staticmethod(time.sleep)

        @staticmethod
        def monotonic() -> float:
            return time.monotonic() + (1e6 if gate.reached.is_set() else 0)

    monkeypatch.setattr(one_run, "GRACE", 1)
    monkeypatch.setattr(one_run, "end", end)
    monkeypatch.setattr(one_run, "time", Clock)
    with served(Here) as service:
        lines = ('token = "variable:TOKEN_OF_A"', 'only = ["4.3-answers-ok"]')
        done = command("audit", write(target("a", service.base_url, *lines)), "--deadline", "10000")
        assert service.live == 0
    (found,) = document()["targets"]
    assert gate.open.is_set()
    assert (found["state"], found["left_behind"], done.code) == ("ended", 0, 3)


def test_an_audit_has_a_folder_for_itself(command: Command) -> None:
    with folders.claimed(Path("audits")):
        done = command("audit", write(target("a", URL, PUBLIC)))
    assert (done.code, "Another audit is in progress in audits." in done.err) == (2, True)


@pytest.mark.parametrize(
    ("beside", "line", "message"),
    [
        ("", 'token = "variable:ABSENT"', "targets.toml, line 1: ABSENT is not set or empty"),
        ("audits.sqlite", PUBLIC, "The store audits.sqlite cannot be used"),
        ("drsi-conformance-waivers.toml", PUBLIC, "would apply to the runs of all targets"),
    ],
)
def test_what_cannot_be_used_ends_it_before_a_service_is_contacted(
    command: Command, beside: str, line: str, message: str
) -> None:
    if beside:
        Path(beside).write_text("no database, and no waiver", "utf-8")
    done = command("audit", write(target("a", URL, line)), "--store", "audits.sqlite")
    assert done.code == 2
    assert message in done.err
    assert not Path("audits").exists()
