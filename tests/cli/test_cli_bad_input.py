"""Bad input: one clear message, the documented exit code, no traceback, and nothing that looks like a report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_tools import CERTIFICATES, TOKEN, answering, listening, never_answering, refusing, served
from conftest import Command, Result

from conformance.reference.call import Call
from conformance.reference.config import User
from conformance.reference.service import Service

HTML = b"<!doctype html><title>Shop</title>"


def is_one_clear_message(result: Result, code: int, *words: str) -> None:
    assert result.code == code, result
    assert result.err.count("Error: ") == 1
    message = result.err[result.err.index("Error: ") :]
    for word in words:
        assert word in message, message
    assert "Traceback" not in result.out + result.err
    assert result.out == ""


@pytest.fixture(autouse=True)
def nothing_is_left(folder: Path) -> Iterator[None]:
    before = {path.name for path in folder.iterdir()}
    yield
    assert {path.name for path in folder.iterdir()} - before <= {"given.toml", "drsi-conformance.toml", "file"}


@pytest.mark.parametrize(
    ("base_url", "words"),
    [
        ("ftp://service.example/api", "scheme ftp"),
        ("service.example/api", "no scheme"),
        ("http://", "no host"),
        ("http://user:secret@service.example", "user name or password"),
        ("https://service.example/api?x=1", "query"),
        ("http://service.example:port", "no base_url"),
    ],
)
@pytest.mark.parametrize("name", ["check", "doctor"])
def test_an_address_that_is_none(command: Command, name: str, base_url: str, words: str) -> None:
    is_one_clear_message(command(name, base_url), 2, words)


def test_nobody_listens(command: Command) -> None:
    result = command("check", refusing(), "--token", TOKEN)
    is_one_clear_message(result, 3, "nothing listens", "blame  network", "to do  Check host and port", "no report")


def test_the_connection_is_closed_without_an_answer(command: Command) -> None:
    with never_answering(close=True) as origin:
        is_one_clear_message(command("check", origin), 3, "closed", "blame  network", "to do")


def test_the_service_hangs(command: Command) -> None:
    with never_answering(close=False) as origin:
        result = command("check", origin, "--timeout", "0.5")
    is_one_clear_message(result, 3, "blame  network", "give each call more time with --timeout")


@pytest.mark.parametrize(
    ("certificate", "trusted", "words"),
    [
        ("right-name.pem", None, "self-signed"),
        ("expired.pem", "expired.pem", "expired"),
        ("wrong-name.pem", "wrong-name.pem", "for another address"),
    ],
)
def test_a_bad_certificate(command: Command, certificate: str, trusted: str | None, words: str) -> None:
    options = ["--ca-file", str(CERTIFICATES / trusted)] if trusted else []
    with served(certificate=certificate) as service:
        result = command("check", service.base_url, "--token", TOKEN, *options)
    is_one_clear_message(result, 3, words, "blame  network", "--ca-file")


def test_html_everywhere(command: Command) -> None:
    page = answering(lambda _path: (200, {"content-type": "text/html"}, HTML))
    with listening(page) as origin:
        result = command("check", origin, "--token", TOKEN)
    is_one_clear_message(result, 2, "HTML instead of JSON", "blame  configuration", "Check the path of the base_url")


def test_the_wrong_path(command: Command) -> None:
    with served() as service:
        result = command("check", service.base_url + "/v2", "--token", TOKEN)
    is_one_clear_message(result, 2, "Neither GET /settings nor GET /data exists", "blame  configuration")


def test_a_redirect_to_another_origin(command: Command) -> None:
    moved = answering(lambda path: (301, {"location": f"http://elsewhere.example{path}"}, b""))
    with listening(moved) as origin:
        result = command("check", origin, "--token", TOKEN)
    is_one_clear_message(result, 2, "redirects to another origin", "base_url: http://elsewhere.example")


@pytest.mark.parametrize(
    ("to", "origin"),
    [
        ("http://127.0.0.1:8", "(http://127.0.0.1:8)"),
        ("http://127.0.0.1", "(http://127.0.0.1:80)"),
        ("https://127.0.0.1", "(https://127.0.0.1)"),
        ("http://[::1]:8", "(http://[::1]:8)"),
    ],
)
def test_a_redirect_to_another_port_names_it(command: Command, to: str, origin: str) -> None:
    moved = answering(lambda path: (301, {"location": f"{to}{path}"}, b""))
    with listening(moved) as here:
        is_one_clear_message(command("check", here), 2, origin, f"base_url: {to}")


def test_control_characters_of_the_target_are_shown_as_escapes(command: Command) -> None:
    moved = answering(lambda _path: (301, {"location": "http://elsewhere.example/\x9b31m"}, b""))
    with listening(moved) as origin:
        result = command("check", origin)
    assert "\x9b" not in result.err


def test_no_token(command: Command) -> None:
    with served() as service:
        result = command("check", service.base_url)
    is_one_clear_message(result, 2, "No access token was given", "blame  credential", "DRSI_TOKEN", "--profile public")


def test_a_refused_token(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRSI_TOKEN", "not-the-token-of-anybody")
    with served() as service:
        result = command("check", service.base_url)
    is_one_clear_message(result, 2, "DRSI_TOKEN) is refused", "blame  credential", "to do")
    assert service.live == 0


def test_two_tokens_that_are_one(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRSI_TOKEN", TOKEN)
    monkeypatch.setenv("DRSI_OTHER_TOKEN", TOKEN)
    with served() as service:
        is_one_clear_message(command("check", service.base_url), 2, "are the same token", "blame  configuration")


def test_what_the_doctor_created_and_could_not_delete_is_named(command: Command, folder: Path) -> None:
    class Forgetful(Service):
        """Takes no token but for the creation that comes after two calls with each, and none to delete it with."""

        def accept(self, token: str) -> User | None:
            return super().accept(token) if self.turn("token") == 4 else None

    with served(Forgetful) as service:
        result = command(
            "check", service.base_url, "--token", TOKEN, "--other-token", "someone-else", "--output", "out"
        )
    is_one_clear_message(result, 2, "is refused", "left behind is named in out/journal.jsonl")
    assert service.live == 1
    journal = folder / "out" / "journal.jsonl"
    assert service.service.store.all()[0].id in journal.read_text()
    assert [path.name for path in journal.parent.iterdir()] == ["journal.jsonl"]
    journal.unlink()
    journal.parent.rmdir()


def test_an_unknown_id(command: Command) -> None:
    is_one_clear_message(command("check", "--select", "4.3-answer-ok"), 2, "Did you mean 4.3-answers-ok")
    is_one_clear_message(command("check", "--deselect", "4.3,nonsense"), 2, "'nonsense'", "lists them all")


@pytest.mark.parametrize("option", ["--select", "--deselect"])
@pytest.mark.parametrize("text", ["", " ", "4.3,", ",4.3"])
def test_an_empty_id(command: Command, folder: Path, option: str, text: str) -> None:
    is_one_clear_message(command("check", option, text), 2, f"{option} holds an empty id", "to do  Name one, or leave")
    (folder / "given.toml").write_text(f'{option[2:]} = "{text}"')
    is_one_clear_message(command("check", "--config", "given.toml"), 2, f"{option[2:]} in given.toml holds an empty id")


@pytest.mark.parametrize("text", ["5-isolatoin", "4.3-answers-ok", "5", "", "alerts,", "all"])
def test_an_alert_that_there_is_not(command: Command, folder: Path, text: str) -> None:
    choices = "alerts, 5-token-in-query, 5-token-over-http, 5-isolation"
    wrong = repr(text.rpartition(",")[2])
    # Nothing listens there: what is wrong with the option is said before anything is contacted.
    result = command("check", refusing(), "--fail-on", text)
    is_one_clear_message(result, 2, f"--fail-on is {wrong}, but has to be one of {choices}.")
    (folder / "given.toml").write_text(f'fail-on = ["5-isolation", "{text}"]')
    result = command("check", "--config", "given.toml")
    is_one_clear_message(result, 2, f"fail-on in given.toml is {wrong}, but has to be one of {choices}.")


def test_a_selection_that_leaves_nothing(command: Command) -> None:
    is_one_clear_message(command("check", "--select", "4.3", "--deselect", "4"), 2, "leaves nothing to check")


def test_a_selection_that_the_profile_leaves_nothing_of(command: Command) -> None:
    is_one_clear_message(command("check", "--select", "4.3", "--profile", "public"), 2, "--profile full")


@pytest.mark.parametrize("option", ["--output", "--html-log"])
def test_an_unwritable_output_is_found_before_the_target_is_contacted(
    command: Command, folder: Path, option: str
) -> None:
    (folder / "file").write_text("")
    calls: list[Call] = []

    class Watched(Service):
        """Notes who calls."""

        async def answer(self, call: Call):  # type: ignore[no-untyped-def]
            calls.append(call)
            return await super().answer(call)

    with served(Watched) as service:
        result = command("check", service.base_url, "--token", TOKEN, option, "file/below/it")
    is_one_clear_message(result, 2, "file/below", "cannot be written", option, "not contacted")
    assert calls == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--rate", "0"),
        ("--rate", "nan"),
        ("--rate", "-1"),
        ("--max-created", "-1"),
        ("--max-time", "0.9"),
        ("--max-time", "nan"),
        ("--max-requests", "19"),
        ("--await-completion", "-1"),
        ("--await-completion", "86401"),
        ("--concurrency", "0"),
        ("--timeout", "0"),
        ("--timeout", "inf"),
        ("--seed", "x"),
        ("--profile", "private"),
        ("--format", "pdf"),
        ("--language-selector", "cookie:lang"),
        ("--language-selector", "header:bad name"),
        ("--language-selector", "query:a&b=c"),
        ("--ca-file", "nowhere.pem"),
        ("--token-file", "nowhere"),
        ("--token", "two words"),
        ("--no-such-option",),
    ],
)
def test_a_bad_value_names_its_option(command: Command, arguments: tuple[str, ...]) -> None:
    with served() as service:
        result = command("check", service.base_url, *arguments)
    is_one_clear_message(result, 2, arguments[0])


def test_authorities_of_the_environment_that_are_no_use(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere.pem")
    for name in ("check", "doctor"):
        result = command(name, "https://127.0.0.1:9", "--token", TOKEN)
        is_one_clear_message(result, 2, "SSL_CERT_FILE: /nowhere.pem: No such file", "unset it")
    (folder / "file").write_text("no certificate")
    monkeypatch.setenv("SSL_CERT_FILE", "file")
    result = command("check", "https://127.0.0.1:9", "--token", TOKEN, "--ca-file", str(CERTIFICATES / "expired.pem"))
    is_one_clear_message(result, 2, "SSL_CERT_FILE: file: holds no certificate in PEM form")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max-create = 3", "Did you mean 'max-created'"),
        ("zzz = 3", "The keys are base-url"),
        ("max-created = 3\nmax_created = 4", "twice"),
        ("[tool]\nrate = 1", "no key 'tool'"),
        ('token = "abc"', "does not belong in a configuration file"),
        ('other_token = "abc"', "DRSI_OTHER_TOKEN"),
        ('rate = "fast"', "rate has to be a number, not 'fast'"),
        ("rate = true", "rate has to be a number, not true"),
        ("rate = 0", "rate in given.toml is 0"),
        ("await-completion = -1", "await-completion in given.toml is -1, but has to be seconds from 0 to 86,400"),
        ("fail-on = true", "fail-on has to be a string or an array of strings, not true"),
        ("seed = 1.5", "seed has to be a whole number, not 1.5"),
        ('strict = "yes"', "strict has to be true or false"),
        ("select = [1]", "select has to be a string or an array of strings"),
        ("output = 3", "output has to be a string"),
        ('language-selector = "header:Host"', "language-selector in given.toml: No language can be asked for"),
        ('profile = "private"', "profile in given.toml is 'private'"),
        ('base-url = "ftp://x"', "scheme ftp"),
        ("rate = \n", "given.toml is not valid TOML"),
        ("strict = true\nrate 5", "line 2"),
    ],
)
def test_a_malformed_configuration(command: Command, folder: Path, text: str, words: str) -> None:
    (folder / "given.toml").write_text(text)
    is_one_clear_message(command("check", "--config", "given.toml"), 2, words)


def test_a_configuration_that_cannot_be_read(command: Command, folder: Path) -> None:
    is_one_clear_message(command("check", "--config", "nowhere.toml"), 2, "nowhere.toml cannot be read")
    (folder / "drsi-conformance.toml").write_bytes(b"\xff")
    is_one_clear_message(command("check"), 2, "drsi-conformance.toml is not UTF-8")
