"""Bad input: one clear message, the documented exit code, no traceback, and nothing that looks like a report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_services import (
    CERTIFICATES,
    TOKEN,
    Command,
    Result,
    answering,
    listening,
    names_in,
    never_answering,
    refusing,
    served,
)

from conformance.model.requirements import catalogue
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
    before = names_in(folder)
    yield
    assert names_in(folder) - before <= {"given.toml", "drsi-conformance.toml", "file"}


@pytest.mark.parametrize(
    ("base_url", "words"),
    [
        ("ftp://service.example/api", "scheme ftp"),
        ("service.example/api", "no scheme"),
        ("http://", "no host"),
        ("http://user:secret@service.example", "user name or password"),
        ("https://service.example/api?x=1", "query"),
        ("http://service.example:port", "no base_url"),
        ("http://xn--n3h.example/api", "IDNA refuses its name"),
        ("http://data.XN--N3H.example/api", "IDNA refuses its name"),
        ("http://xn--/api", "IDNA refuses its name"),
        ("http://\u2603.example/api", "IDNA refuses its name"),
    ],
)
def test_an_address_that_is_none(command: Command, base_url: str, words: str) -> None:
    is_one_clear_message(command("check", base_url), 2, words)


def test_nobody_listens(command: Command) -> None:
    result = command("check", refusing(), "--token", TOKEN)
    is_one_clear_message(result, 3, "nothing listens", "cause  network", "fix    Check host and port", "no report")


def test_the_connection_is_closed_without_an_answer(command: Command) -> None:
    with never_answering(close=True) as origin:
        is_one_clear_message(command("check", origin), 3, "closed", "cause  network", "fix")


def test_the_service_hangs(command: Command) -> None:
    with never_answering(close=False) as origin:
        result = command("check", origin, "--timeout", "0.5")
    is_one_clear_message(result, 3, "cause  network", "give each call more time with --timeout")


@pytest.mark.parametrize(
    ("certificate", "trusted", "words"),
    [
        ("right-name.pem", None, ("self-signed", "--ca-file")),
        ("right-name.pem", "wrong-name.pem", ("self-signed", "No certificate of --ca-file issued")),
        ("expired.pem", "expired.pem", ("expired", "valid now and for this host")),
        ("wrong-name.pem", "wrong-name.pem", ("for another address", "valid now and for this host")),
    ],
)
def test_a_bad_certificate(command: Command, certificate: str, trusted: str | None, words: tuple[str, ...]) -> None:
    options = ["--ca-file", str(CERTIFICATES / trusted)] if trusted else []
    with served(certificate=certificate) as service:
        result = command("check", service.base_url, "--token", TOKEN, *options)
    is_one_clear_message(result, 3, *words, "cause  network")


def test_html_everywhere(command: Command) -> None:
    page = answering(lambda _path: (200, {"content-type": "text/html"}, HTML))
    with listening(page) as origin:
        result = command("check", origin, "--token", TOKEN)
    is_one_clear_message(result, 2, "HTML instead of JSON", "cause  configuration", "Check the path of the base_url")


def test_the_wrong_path(command: Command) -> None:
    with served() as service:
        result = command("check", service.base_url + "/v2", "--token", TOKEN)
    is_one_clear_message(result, 3, "Neither GET /settings nor GET /data exists", "cause  configuration")


@pytest.mark.parametrize(
    ("to", "origin"),
    [
        ("http://127.0.0.1:8", "(http://127.0.0.1:8)"),
        ("http://elsewhere.example", "redirects to another origin"),
        ("https://xn--n3h.example", "(https://xn--n3h.example)"),
        ("http://[::1]:8", "(http://[::1]:8)"),
    ],
)
def test_a_redirect_to_another_origin_names_it(command: Command, to: str, origin: str) -> None:
    moved = answering(lambda path: (301, {"location": f"{to}{path}"}, b""))
    with listening(moved) as here:
        is_one_clear_message(command("check", here), 3, origin, f"base_url: {to}", "cause  configuration")


def test_a_redirect_to_https_names_no_address_where_nothing_listens(command: Command) -> None:
    with listening(
        answering(lambda path: (308, {"location": f"https://{here.removeprefix('http://')}{path}"}, b""))
    ) as here:
        result = command("check", here)
    is_one_clear_message(result, 3, "redirect to https off", "cause  configuration", "X-Forwarded-Proto: https")
    assert "base_url: https" not in result.err


def test_control_characters_of_the_target_are_shown_as_escapes(command: Command) -> None:
    moved = answering(lambda _path: (301, {"location": "http://elsewhere.example/\x9b31m"}, b""))
    with listening(moved) as origin:
        result = command("check", origin)
    assert "\x9b" not in result.err


def test_no_token(command: Command) -> None:
    with served() as service:
        result = command("check", service.base_url)
    is_one_clear_message(result, 2, "No access token was given", "cause  credential", "DRSI_TOKEN", "--profile public")


def test_a_refused_token(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRSI_TOKEN", "not-the-token-of-anybody")
    with served() as service:
        result = command("check", service.base_url)
    is_one_clear_message(result, 2, "The access token is refused", "cause  credential", "fix")
    assert service.live == 0


def test_what_the_doctor_created_and_could_not_delete_is_named(command: Command, folder: Path) -> None:
    class Forgetful(Service):
        """Takes no token but for the creation that comes after two calls with each, and none to delete it with."""

        def accept(self, token: str) -> User | None:
            return super().accept(token) if self.turn("token") == 4 else None

    with served(Forgetful) as service:
        result = command(
            "check", service.base_url, "--token", TOKEN, "--other-token", "someone-else", "--output", "out"
        )
    is_one_clear_message(result, 2, "is refused", "out/journal.jsonl names what is left")
    assert service.live == 1
    journal = folder / "out" / "journal.jsonl"
    assert service.service.store.all()[0].id in journal.read_text()
    assert [path.name for path in journal.parent.iterdir()] == ["journal.jsonl"]
    journal.unlink()
    journal.parent.rmdir()


def test_a_wrong_selection(command: Command) -> None:
    is_one_clear_message(command("check", "--select", "4.3", "--deselect", "4"), 2, "leaves nothing to check")
    is_one_clear_message(command("check", "--select", "4.3", "--profile", "public"), 2, "--profile full")
    is_one_clear_message(command("check", "--select", "4.3-answer-ok"), 2, "Did you mean 4.3-answers-ok")
    is_one_clear_message(command("check", "--deselect", "4.3,nonsense"), 2, "'nonsense'", "lists them all")


@pytest.mark.parametrize("option", ["select", "deselect", "fail-on"])
@pytest.mark.parametrize("text", ["", "5-isolation,"])
def test_an_empty_id(command: Command, folder: Path, option: str, text: str) -> None:
    is_one_clear_message(command("check", f"--{option}", text), 2, f"'--{option}': an id is empty.")
    (folder / "given.toml").write_text(f'{option} = "{text}"')
    is_one_clear_message(command("check", "--config", "given.toml"), 2, f"given.toml: {option}: an id is empty.")


@pytest.mark.parametrize("text", ["5-isolatoin", "4.3-answers-ok"])
def test_an_unknown_alert(command: Command, folder: Path, text: str) -> None:
    known = ", ".join(f"'{name}'" for name in ("alerts", *catalogue().alerts))
    wrong = f"'{text}' is not one of {known}."
    # Nothing listens there: the option is tested before anything is contacted.
    is_one_clear_message(command("check", refusing(), "--fail-on", text), 2, f"'--fail-on': {wrong}")
    (folder / "given.toml").write_text(f'fail-on = ["5-isolation", "{text}"]')
    is_one_clear_message(command("check", "--config", "given.toml"), 2, f"given.toml: fail-on: {wrong}")


def test_an_unwritable_output_is_found_before_the_target_is_contacted(command: Command, folder: Path) -> None:
    (folder / "file").write_text("")
    calls: list[Call] = []

    class Watched(Service):
        """Notes who calls."""

        async def answer(self, call: Call):  # type: ignore[no-untyped-def]
            calls.append(call)
            return await super().answer(call)

    with served(Watched) as service:
        result = command("check", service.base_url, "--token", TOKEN, "--output", "file/below/it")
    is_one_clear_message(result, 2, "file/below", "cannot be written", "--output", "not contacted")
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
    is_one_clear_message(command("check", refusing(), *arguments), 2, arguments[0])


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
    is_one_clear_message(result, 2, "SSL_CERT_FILE: file: contains no certificate in PEM form")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max-create = 3", "Did you mean 'max-created'"),
        ("zzz = 3", "Keys: base-url"),
        ("max-created = 3\nmax_created = 4", "twice"),
        ("[tool]\nrate = 1", "no key 'tool'"),
        ('token = "abc"', "does not belong in a configuration file"),
        ('other_token = "abc"', "DRSI_OTHER_TOKEN"),
        ('rate = "fast"', "rate must be a number, not 'fast'"),
        ("rate = true", "rate must be a number, not true"),
        ("rate = 0", "given.toml: rate: 0.0 is not in the range 0.01<=x<=1000000"),
        ("await-completion = -1", "await-completion: -1.0 is not in the range 0<=x<=86400"),
        ("fail-on = true", "fail-on must be a string or an array of strings, not true"),
        ("seed = 1.5", "seed must be a whole number, not 1.5"),
        ('strict = "yes"', "strict must be true or false"),
        ("select = [1]", "select must be a string or an array of strings"),
        ("output = 3", "output must be a string"),
        ('language-selector = "header:Host"', "given.toml: language-selector: No language can be asked for"),
        ('profile = "private"', "given.toml: profile: 'private' is not one of 'full', 'public'"),
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
