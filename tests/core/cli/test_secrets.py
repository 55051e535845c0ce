"""No token in any output, whatever the service does with it."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from cli_services import OTHER_TOKEN, TOKEN, Command, Result, names_in, report_of, served
from platforms import POSIX_MODES
from whole_runs import USERS, session_over

from conformance.cli.checked_run import last_words
from conformance.http.secrets.pseudonyms import Pseudonyms
from conformance.reference.call import Call, ErrorCondition, Reply
from conformance.reference.service import Service

EXPIRED, FOREIGN = "Expired-5522334455abcdef", "Foreign-9988776655fedcba"
"""Tokens that the service must refuse."""


class Echo(Service):
    """Gives every Authorization header back: in bodies, in header fields, plain and encoded."""

    def document(self, request: object, call: Call) -> dict[str, object]:
        return {**super().document(request, call), "seen": _forms(_said(call)), "createdAt": _said(call)}  # type: ignore[arg-type]

    def error(self, condition: ErrorCondition, call: Call) -> object:
        return {**super().error(condition, call), "message": f"refused: {_said(call)}"}

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        for number, form in enumerate(_forms(_said(call))):
            reply.headers[f"x-debug-{number}"] = form
        return reply


def _said(call: Call) -> str:
    return " ".join(call.authorization)


def _forms(text: str) -> list[str]:
    escaped = [_escaped(text, form) for form in _ESCAPES]
    return [text, base64.b64encode(text.encode()).decode(), quote(text, safe=""), text.encode().hex(), *escaped]


_ESCAPES = ("&#{};", "&#x{:x};", "&amp;#{};", "\\u{:04x}", "\\x{:02x}", "%{:02x}", "%25{:02X}")


def _escaped(text: str, form: str) -> str:
    return "".join(form.format(ord(letter)) for letter in text)


def forbidden() -> Iterator[bytes]:
    for token in (TOKEN, OTHER_TOKEN, EXPIRED, FOREIGN):
        plain = token.encode()
        yield plain
        yield plain.hex().encode()
        yield from (_escaped(token, form).encode() for form in _ESCAPES)
        yield _escaped(token, "\\\\u{:04x}").encode()  # a text in JSON
        yield quote(token, safe="").encode()
        yield quote_plus(token).encode()
        yield base64.b64encode(plain).rstrip(b"=")
        yield base64.urlsafe_b64encode(plain).rstrip(b"=")
        yield base64.b64encode(b"Bearer " + plain).rstrip(b"=")


def outputs(folder: Path, result: Result) -> Iterator[tuple[str, bytes]]:
    yield "standard output", result.out.encode("utf-8", "surrogateescape")
    yield "standard error", result.err.encode("utf-8", "surrogateescape")
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.name, path.read_bytes()


def holds_no_token(folder: Path, result: Result) -> set[str]:
    names, forms = set(), [form.lower() for form in forbidden()]
    for name, content in outputs(folder, result):
        names.add(name)
        lowered = content.lower()
        assert [form for form in forms if form in lowered] == [], f"{name} holds a token, perhaps in another case"
    return names


@pytest.mark.usefixtures("tokens")
def test_a_service_that_echoes_the_token(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRSI_EXPIRED_TOKEN", EXPIRED)
    (folder / "foreign").write_text(f"{FOREIGN}\n")
    with served(Echo) as service:
        options = ("--foreign-token-file", "foreign", "--output", "out")
        result = command("check", service.base_url, *options, only=("2.3", "4.1", "4.3", "5.3", "7"))
    (folder / "foreign").unlink()
    assert result.code == 1, result.err
    assert service.live == 0
    names = holds_no_token(folder, result)
    assert names >= {"standard output", "report.json", "evidence.har", "report.html", "summary.html", "junit.xml"}
    for name in ("out/report.json", "out/evidence.har"):
        assert "[DRSI_TOKEN]" in (folder / name).read_text("utf-8"), f"{name} shows nothing in the token's place"
    given = report_of(folder / "out")["run"]["options"]
    assert (given["expired-token"], given["foreign-token"]) == (True, True)
    assert command("verify", "out").code == 0


def crash(*_: object, **__: object) -> None:
    raise RuntimeError(f"could not send Authorization: Bearer {TOKEN}")


def test_the_details_of_a_failure_of_the_suite_hold_no_token(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.cli.checked_run.check", crash)
    with served() as service:
        result = command("check", service.base_url, "--token", TOKEN)
    assert (result.code, result.out) == (4, "")
    assert "RuntimeError: could not send Authorization: Bearer [DRSI_TOKEN]" in result.err
    assert "Report it to the issue tracker" in result.err
    holds_no_token(folder, result)
    assert names_in(folder) == set()


def test_a_check_that_crashes_costs_its_requirement_only_and_its_report_holds_no_token(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.scenarios.api.Api.delete", crash)
    with served() as service:
        check = ("check", service.base_url, "--token", TOKEN, "--output", "out")
        debugged = command(*check, "--debug", only=("4.3",))
        assert service.live == 0
    report = report_of(folder / "out")
    assert (debugged.code, report["outcome"]) == (4, "inconclusive")
    assert any("4.3-answers-ok" in each["requirements"] for each in report["crashes"])
    assert "issue tracker of drsi-conformance" in " ".join(debugged.out.split())
    assert "RuntimeError: could not send Authorization: Bearer [DRSI_TOKEN]" in debugged.out
    assert "[DRSI_TOKEN]" in (folder / "out" / "report.html").read_text("utf-8")
    holds_no_token(folder, debugged)


def test_the_last_words_of_a_run_name_what_is_left_without_the_token_in_it() -> None:
    with session_over() as session:
        session.journal.live[f"{USERS[0].token}/1"] = "user"

        words = last_words(session)

    assert words.endswith("/requests/[DRSI_TOKEN]%2F1\n")


def test_a_token_in_a_finished_file_stops_all_files(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.http.secrets.redaction.Redactor.raw", lambda _, data: data)
    with served(Echo) as service:
        options = ("--token", TOKEN, "--output", "out")
        result = command("check", service.base_url, *options, only=("4.4",))

    assert result.code == 4
    message = r"Error: evidence\.har would contain an access token \(as [\w ]+\), so no file of the run was written\."
    assert re.search(message, result.err)
    assert "Traceback" not in result.err
    assert not (folder / "out").exists()
    holds_no_token(folder, result)


class Personal(Service):
    """Tells the user's name everywhere."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        reply.headers["x-user"] = call.user.name if call.user else ""
        reply.headers["set-cookie"] = "session=abcdef0123456789"
        return reply

    def error(self, condition: ErrorCondition, call: Call) -> object:
        return {**super().error(condition, call), "message": f"{call.user.name if call.user else ''} may not"}


@POSIX_MODES
def test_personal_values_show_only_where_the_run_keeps_them(command: Command, folder: Path) -> None:
    with served(Personal) as service:
        check = ("check", service.base_url, "--token", TOKEN, "--output")
        narrow = "7-not-found-message"
        replaced = command(*check, "out", "--pseudonym-key", "key", "--only", narrow)
        written = list(outputs(folder, replaced))
        kept = command(*check, "kept", "--keep-personal-data", "--only", narrow)
        inside = command(*check, "out", "--pseudonym-key", "out/key")
    (folder / "other").write_text("0" * 64)
    packed = [command("bundle", run, "--include-key", key) for run, key in (("out", "other"), ("kept", "key"))]
    packed.append(command("bundle", "out", "--include-key", "key"))

    for name, content in written:
        assert not [each for each in (b"alice.example", b"abcdef0123456789") if each in content.lower()], name
    assert replaced.code == kept.code == 1
    assert "alice.example may not" in (folder / "kept" / "report.json").read_text("utf-8")
    assert (folder / "key").stat().st_mode & 0o777 == 0o600
    name = Pseudonyms(bytes.fromhex((folder / "key").read_text())).of("alice.example")
    assert name in (folder / "out" / "report.json").read_text("utf-8")
    assert [each.code for each in packed] == [2, 2, 0]
    assert "--include-key: other is not the key of this run." in packed[0].err
    assert inside.code == 2
    assert "is in the folder of the report" in inside.err
