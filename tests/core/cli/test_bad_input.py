"""Bad input: one clear message, the documented exit code, no traceback, and nothing that looks like a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
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


def _pages() -> AbstractContextManager[str]:
    return listening(answering(lambda _path: (200, {"content-type": "text/html"}, HTML)))


@pytest.mark.parametrize(
    ("serve", "options", "code", "words"),
    [
        (lambda: nullcontext(refusing()), ("--token", TOKEN), 3, ("nothing listens", "network", "Check host and port")),
        (lambda: never_answering(close=True), (), 3, ("closed", "network", "fix")),
        (lambda: never_answering(close=False), ("--timeout", "0.5"), 3, ("network", "more time with --timeout")),
        (_pages, ("--token", TOKEN), 2, ("HTML instead of JSON", "configuration", "Check the path of the base_url")),
    ],
    ids=["connection refused", "closed without an answer", "hangs", "HTML everywhere"],
)
def test_an_address_without_the_interface(
    command: Command,
    serve: Callable[[], AbstractContextManager[str]],
    options: tuple[str, ...],
    code: int,
    words: tuple[str, ...],
) -> None:
    with serve() as origin:
        is_one_clear_message(command("check", origin, *options), code, *words)


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
