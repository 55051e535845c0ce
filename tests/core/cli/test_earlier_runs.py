"""--empty-account beside the journal of an earlier run that left requests in these accounts."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from cli_services import OTHER_TOKEN, TOKEN, Command, Served, report_of, served
from left_behind import left_behind

from conformance.http.creations import journal_file
from conformance.http.creations.owners import are_of, marks_of
from conformance.model.target import Target, Token

CONFIRMED = ("--empty-account", "--quiet", "--format", "json", "--output", "reports/next")
ONLY = ("4.3-answers-ok",)


def left_at(service: Served, *, token: str = TOKEN) -> tuple[Path, str]:
    """Create a request, journaled in a folder beside the next run, as a run that was killed leaves it."""
    folder = Path("reports", "killed")
    (made,) = left_behind(service, folder, "user", user=token, other="")
    return folder / "journal.jsonl", made


@pytest.mark.usefixtures("tokens")
def test_what_a_killed_run_left_contradicts_an_empty_account_until_it_is_deleted(command: Command) -> None:
    with served() as service:
        path, made = left_at(service)

        refused = command("check", service.base_url, *CONFIRMED, only=ONLY)

        assert (refused.code, service.held, Path("reports/next").exists()) == (2, {made}, False)
        assert "created 1 data request that nothing has deleted" in refused.err
        assert f"drsi-conformance cleanup {path} {service.base_url}" in refused.err
        assert "--cleanup-first" in refused.err

        done = command("check", service.base_url, *CONFIRMED, "--cleanup-first", only=ONLY)
        assert (done.code, service.held, journal_file.read(path).total) == (0, set(), 0)
        assert report_of(Path("reports/next"))["confirmations"] == ["empty-account"]


@pytest.mark.usefixtures("tokens")
def test_what_cleanup_first_cannot_delete_leaves_the_account_unconfirmed(command: Command) -> None:
    with served() as service:
        path, made = left_at(service)
        with path.open("a") as file:
            file.write(json.dumps({"event": "intend", "credential": "user"}) + "\n")
            for one in ("..", "a/b", "%2e%2e"):
                file.write(json.dumps({"event": "intend", "credential": "user"}) + "\n")
                file.write(json.dumps({"event": "created", "id": one, "credential": "user"}) + "\n")

        done = command("check", service.base_url, *CONFIRMED, "--cleanup-first", only=ONLY)

        assert (done.code, made in service.held) == (0, False)
    report = report_of(Path("reports/next"))
    assert report["confirmations"] == []
    assert any("This run lacks the confirmation --empty-account" in note["message"] for note in report["notes"])


@pytest.mark.usefixtures("tokens")
@pytest.mark.parametrize("option", [(), ("--cleanup-first",)])
def test_what_another_account_left_is_not_in_the_way(
    command: Command, monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...]
) -> None:
    monkeypatch.delenv("DRSI_OTHER_TOKEN")
    with served() as service:
        path, made = left_at(service, token=OTHER_TOKEN)

        done = command("check", service.base_url, *CONFIRMED, *option, only=ONLY)

        assert (done.code, made in service.held, journal_file.read(path).total) == (0, True, 1)
    assert report_of(Path("reports/next"))["confirmations"] == []  # it may be a new token of the same account


@pytest.mark.usefixtures("tokens")
@pytest.mark.parametrize("where", ["another path", "another port"])
def test_a_journal_of_another_service_confirms_and_deletes_nothing(command: Command, where: str) -> None:
    with served() as service, served() as other:
        path, made = left_at(other if where == "another port" else service)
        if where == "another path":
            path.write_text(path.read_text("utf-8").replace(service.base_url, f"{service.base_url}/v2"), "utf-8")

        done = command("check", service.base_url, *CONFIRMED, "--cleanup-first", only=ONLY)

        assert (done.code, made in service.held | other.held) == (0, True)
    assert report_of(Path("reports/next"))["confirmations"] == ["empty-account"]


def jwt(**claims: str) -> str:
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({}, claims)]
    return ".".join([*parts, "signature"])


@pytest.mark.parametrize(
    ("then", "now", "same"),
    [
        ({"user": TOKEN}, {"user": TOKEN}, True),
        ({"user": TOKEN}, {"user": OTHER_TOKEN}, False),
        ({"user": TOKEN}, {"user": OTHER_TOKEN, "other": TOKEN}, True),
        ({"user": jwt(iss="a", sub="7", exp="1")}, {"user": jwt(iss="a", sub="7", exp="2")}, True),
        ({"user": jwt(iss="a", sub="7")}, {"user": jwt(iss="a", sub="8")}, False),
        ({"user": jwt(iss="a", sub="7")}, {"user": jwt(iss="b", sub="7")}, False),
    ],
)
def test_an_account_is_known_again_by_its_token_or_by_the_subject_of_a_jwt(
    then: dict[str, str], now: dict[str, str], same: bool
) -> None:
    base_url = "http://127.0.0.1"
    earlier, later = (
        Target(base_url=base_url, **{one: Token(value) for one, value in each.items()}) for each in (then, now)
    )

    assert are_of(marks_of(earlier), later) is same


def test_marks_show_no_token() -> None:
    marks = marks_of(Target(base_url="http://127.0.0.1", user=Token(TOKEN)))

    assert TOKEN not in json.dumps(marks)
    assert marks != marks_of(Target(base_url="http://127.0.0.1", user=Token(TOKEN)))


@pytest.mark.usefixtures("tokens")
def test_a_journal_adds_no_lines_to_a_message(command: Command) -> None:
    with served() as service:
        path, _ = left_at(service)
        first, _, rest = path.read_text("utf-8").partition("\n")
        begin = json.loads(first) | {"started": "now\n  fix    Run: something else"}
        path.write_text(f"{json.dumps(begin)}\n{rest}", "utf-8")

        refused = command("check", service.base_url, *CONFIRMED, only=ONLY)

    assert (refused.code, "\n  fix    Run: something else" in refused.err) == (2, False)


@pytest.mark.usefixtures("tokens")
@pytest.mark.parametrize("option", [(), ("--cleanup-first",)])
def test_a_journal_with_texts_that_no_run_writes_stops_no_run(command: Command, option: tuple[str, ...]) -> None:
    with served() as service:
        path, made = left_at(service)
        first, _, rest = path.read_text("utf-8").partition("\n")
        begin = json.loads(first) | {"owners": {"salt": "\ud800", "user": "\ud800"}}
        path.write_text(f"{json.dumps(begin)}\n{rest}", "utf-8")

        done = command("check", service.base_url, *CONFIRMED, *option, only=ONLY)

        assert (done.code, made in service.held) == (0, True)
