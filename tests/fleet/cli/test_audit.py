"""`audit`: several services in one command, and what its results say."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from audited import PUBLIC, QUICK, audits, document, target, write
from cli_services import (
    PATIENCE,
    TOKEN,
    Command,
    names_in,
    never_answering,
    refusing,
    served,
)
from platforms import POSIX_COMMANDS, SYMBOLIC_LINKS

from conformance.fleet.audit import one_run
from conformance.http import processes
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

pytestmark = pytest.mark.usefixtures("folder")


class Changing(Service):
    """The reference service, which from some day on has no name for its organisation."""

    changed = False

    def settings(self, call: Call) -> Any:
        settings = super().settings(call)
        if type(self).changed:
            del settings["organisationName"]
        return settings


@POSIX_COMMANDS
def test_an_audit_and_the_next_one(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_A", TOKEN)

    class Here(Changing):
        pass

    with served() as good, served(Here) as other:
        path = write(
            target("good", good.base_url, PUBLIC, 'labels = { case = "4711" }', 'token = "variable:TOKEN_OF_A"'),
            target("other", other.base_url, PUBLIC),
            target("dead", refusing(), PUBLIC),
        )
        arguments = ("audit", path, *QUICK, "--retries", "1", "--notify-command", "sh -c 'cat > told.json'")
        first = command(*arguments)
        Here.changed = True
        second = command(*arguments, "--changed-only")
    assert (first.code, second.code) == (3, 1)
    one, two = map(document, audits())

    assert [(each["name"], each["state"], each["outcome"]) for each in one["targets"]] == [
        ("good", "finished", "conforms-in-part"),
        ("other", "finished", "conforms-in-part"),
        ("dead", "unreachable", None),
    ]
    assert one["targets"][2]["attempts"] == 2
    assert "got no answer that can be judged" in one["targets"][2]["message"]
    assert (one["previous"], one["changes"], one["exit_code"]) == (None, [], 3)
    assert "2 conforms-in-part, 1 unreachable" in first.out
    assert "dead  unreachable, will be tried again" in first.err
    report = json.loads((audits()[0] / "runs/good/report.json").read_text("utf-8"))
    assert report["run"]["labels"] == {"case": "4711"}
    assert names_in(audits()[0]) == {"audit.json", "runs", "unfinished"}
    assert names_in(audits()[0] / "unfinished") == set()

    changed = two["changes"]
    assert [(each["name"], each["before"], each["after"]) for each in changed] == [
        ("other", "conforms-in-part", "does-not-conform")
    ]
    assert "2.3-organisationName" in [each["id"] for each in changed[0]["worse"]]
    assert "other  conforms-in-part → does-not-conform" in second.out
    assert "  worse  2.3-organisationName: pass → fail" in second.out
    assert "good" not in second.out
    told = json.loads(Path("told.json").read_text("utf-8"))
    assert (told["regressions"], told["unreachable"]) == (changed, ["dead"])


def test_an_audit_is_anonymous_unless_a_target_or_the_option_names_it(command: Command) -> None:
    def sent(folder: Path, name: str) -> tuple[bool, int, bool]:
        run = folder / "runs" / name
        report = json.loads((run / "report.json").read_text("utf-8"))
        entries = json.loads((run / "evidence.har").read_text("utf-8"))["log"]["entries"]
        requests = json.dumps([each["request"] for each in entries])
        return report["run"]["options"]["anonymous"], report["seed"], bool(re.search("drsi|no-such", requests))

    with served() as service:
        one, two = (target(name, service.base_url, PUBLIC) for name in ("one", "two"))
        named = target("named", service.base_url, PUBLIC, "anonymous = false")
        nonce = target("nonce", service.base_url, PUBLIC, 'nonce = "4711"', "seed = 7")
        path = write(one, two, named, nonce)
        assert command("audit", path, *QUICK).code == 0
        (first,) = audits()
        write(one, target("two", service.base_url, PUBLIC, "anonymous = true"))
        assert command("audit", path, "--no-anonymous", *QUICK).code == 0
    hidden = [sent(first, name) for name in ("one", "two")]
    assert [(anonymous, shown) for anonymous, _, shown in hidden] == [(True, False)] * 2
    assert len({0, *(seed for _, seed, _ in hidden)}) == 3
    assert [sent(first, name) for name in ("named", "nonce")] == [(False, 0, True), (False, 7, True)]
    assert [sent(audits()[-1], name)[0] for name in ("one", "two")] == [False, True]


@SYMBOLIC_LINKS
def test_an_unfinished_audit_of_others_decides_nothing(command: Command, tmp_path: Path) -> None:
    """A folder that somebody sent can have results that no run gave, and links that lead out of it."""
    with served() as service:
        path = write(target("one", service.base_url, PUBLIC, "strict = true"))
        assert command("audit", path).code == 0
        (own,) = audits()
        sent = Path("sent/20990101T000000Z")
        sent.parent.mkdir()
        own.rename(sent)
        (sent / "audit.json").unlink()
        (sent / "unfinished").rmdir()
        (sent / "unfinished").symlink_to(tmp_path)
        (tmp_path / "one/photos").mkdir(parents=True)

        refused = command("audit", path, "--output", "sent")
        assert (refused.code, refused.out) == (2, "")
        assert "20990101T000000Z is not known to be yours" in refused.err
        assert (tmp_path / "one/photos").is_dir()

        (sent / "unfinished").unlink()
        known = command("audit", path, "--output", "sent", "--continue")
        assert known.code == 0
        assert "1 run finished before" in known.err


def test_an_unreachable_service_is_on_the_site(command: Command) -> None:
    """A service that gives no answer is missed by who reads the results, if only those with a report are shown."""
    with served() as service:
        lines = [target("gone", service.base_url, PUBLIC), target("never", refusing(), PUBLIC)]
        arguments = ("audit", write(*lines), *QUICK, "--retries", "0", "--store", "audits.sqlite")
        assert command(*arguments).code == 3
    write(target("gone", refusing(), PUBLIC), lines[1])
    assert command(*arguments).code == 3

    done = command("site", "audits.sqlite", "public", "--language", "en", "--language", "nl")
    assert done.out.startswith("1 service, 0 failing, 0 regressions, 2 without a report in the latest audit")
    first, last = json.loads(Path("public/data/audits.json").read_bytes())[::-1]
    assert [(each["runs"], each["unreported"]) for each in (first, last)] == [(1, 1), (0, 2)]
    (of_gone,) = Path("public/services").glob("gone*.html")
    pages = ("index.html", f"audits/{last['audit']['id']}.html")
    for page in pages:
        table = Path("public", page).read_text("utf-8").partition('<h2 id="without-report">')[2]
        assert (table.count(">unreachable</span>"), table.count("refused")) == (2, 2)
        assert (f"services/{of_gone.name}" in table, "services/never" in table) == (True, False)
        assert ">onbereikbaar</span>" in Path("public/nl", page).read_text("utf-8")
    assert "unreachable</span>" in Path("public", f"audits/{first['audit']['id']}.html").read_text("utf-8")
    assert "unreachable</span>" in of_gone.read_text("utf-8")
    assert [each["target"] for each in json.loads(Path("public/data/unreported.json").read_bytes())] == [
        "gone",
        "never",
    ]


def test_a_run_that_cannot_begin_says_what_to_fix(command: Command) -> None:
    with served() as service:
        done = command("audit", write(target("a", service.base_url, "empty_account = true")))
    (found,) = document()["targets"]
    assert (done.code, found["state"]) == (2, "not-run")
    assert "token" in found["message"]


def test_a_deadline_ends_a_run_that_hangs(command: Command) -> None:
    with never_answering(close=False) as origin:
        done = command("audit", write(target("slow", origin, PUBLIC)), "--deadline", "3", "--grace", "30")
    (found,) = document()["targets"]
    assert (done.code, found["exit_code"]) == (3, 3)
    assert "interrupted at its deadline of 3 s" in found["message"]


def test_what_a_run_left_that_had_to_be_killed_is_deleted(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_A", TOKEN)
    reached, killed = threading.Event(), threading.Event()

    class Here(Service):
        """Answers no deletion until the process of the run is ended."""

        async def delete(self, call: Call) -> Reply:
            reached.set()
            await asyncio.to_thread(killed.wait, PATIENCE)
            return await super().delete(call)

    def end(process: Any) -> None:
        processes.end(process)
        killed.set()

    class Clock:
        """Is past the deadline when the run waits for the answer to a deletion."""

        sleep = staticmethod(time.sleep)

        @staticmethod
        def monotonic() -> float:
            return time.monotonic() + (1e6 if reached.is_set() else 0)

    monkeypatch.setattr(one_run, "end", end)
    monkeypatch.setattr(one_run, "time", Clock)
    with served(Here) as service:
        lines = ('token = "variable:TOKEN_OF_A"', 'only = ["4.3-answers-ok"]')
        done = command("audit", write(target("a", service.base_url, *lines)), "--deadline", "10000", "--grace", "1")
        assert service.live == 0
    (found,) = document()["targets"]
    assert killed.is_set()
    assert (found["state"], found["left_behind"], done.code) == ("ended", 0, 3)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone limits the address space")
def test_a_run_beyond_its_memory_says_nothing_about_the_service(command: Command) -> None:
    with served() as service:
        done = command("audit", write(target("a", service.base_url, PUBLIC)), "--memory", "64")
    (found,) = document()["targets"]
    assert (done.code, found["state"]) == (4, "broken")


@pytest.mark.parametrize(
    ("beside", "line", "message"),
    [
        ("", 'token = "variable:ABSENT"', "targets.toml, line 1: ABSENT is not set or empty"),
        ("", "nothing = 1", "line 1: nothing: a target has nothing of this name"),
        ("audits.sqlite", PUBLIC, "The store audits.sqlite cannot be used"),
        ("drsi-conformance-waivers.toml", PUBLIC, "would apply to the runs of all targets"),
    ],
)
def test_what_cannot_be_used_ends_it_before_a_service_is_contacted(
    command: Command, beside: str, line: str, message: str
) -> None:
    if beside:
        Path(beside).write_text("no database, and no waiver", "utf-8")
    done = command("audit", write(target("a", "https://a.example", line)), "--store", "audits.sqlite")
    assert done.code == 2
    assert message in done.err
    assert not Path("audits").exists()
