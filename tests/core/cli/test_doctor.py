"""What the doctor says before a run, and that check stops for the same: one clear message, and no report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import pytest
from cli_services import (
    Command,
    answering,
    is_one_message,
    listening,
    names_in,
    refusing,
    replying,
    served,
)
from raw_server import CERTIFICATES, Peer, RawServer, Script, answer, serving

from conformance.calibration.twins import TWINS
from conformance.reference.config import User
from conformance.reference.service import Service

JSON = {"content-type": "application/json"}
HTML = b"<!doctype html><title>Shop</title>"

pytestmark = pytest.mark.usefixtures("tokens")


def test_the_doctor_of_a_healthy_service(command: Command) -> None:
    with served() as service:
        result = command("doctor", service.base_url)
    assert result.code == 0
    assert len(service.calls) < 10
    assert {call.operation for call in service.calls} <= {"getSettings", "getData", "getDataMe", "readRequest"}
    facts = ("address", "JSON", "maxNumberOfRequests 3", "languages: en, nl, de\n", "token: accepted", "another user")
    assert [fact for fact in facts if fact not in result.out] == []
    assert "A run can begin." in result.out


def test_two_tokens_that_may_be_of_one_user_are_a_note(command: Command) -> None:
    with served(TWINS["data-me-names-the-contact-of-the-organisation"].service) as service:
        found = command("doctor", service.base_url)

    message = "The two tokens seem to be of the same user: they have the same account in GET /data/me."
    assert (found.code, f"note     {message}" in found.out) == (0, True)
    assert "A run can begin." in found.out


def test_a_document_that_a_run_cannot_use_is_a_problem(command: Command) -> None:
    with served(replying("getData", 404, b"<h1>nginx</h1>", JSON)) as target:
        result = command("doctor", target.base_url)

    assert result.code == 0
    (line,) = (line for line in result.out.splitlines() if line.startswith("problem"))
    assert "This needs the data types, but GET /data with no token answered 404" in line
    assert "  cause  target\n  fix    Serve GET /data there, or let what stands in front" in result.out
    assert "A run can begin, but much of it will be inconclusive." in result.out


@pytest.mark.parametrize(("token", "words"), [("", "No access token"), ("wrong-token", "is refused")])
@pytest.mark.parametrize("name", ["doctor", "check"])
def test_a_token_that_is_missing_or_refused(
    command: Command, monkeypatch: pytest.MonkeyPatch, name: str, token: str, words: str
) -> None:
    monkeypatch.setenv("DRSI_TOKEN", token)
    with served() as service:
        result = command(name, service.base_url)
    assert (result.code, service.live) == (2, 0)
    assert words in result.out + result.err
    assert "  cause  credential" in result.out + result.err


# ------------------------------------------------------------------ what a run cannot begin with


def _pages() -> AbstractContextManager[str]:
    return listening(answering(lambda _path: (200, {"content-type": "text/html"}, HTML)))


def _moved(to: str) -> AbstractContextManager[str]:
    return listening(answering(lambda path: (301, {"location": f"{to}{path}"}, b"")))


def _refuse(peer: Peer) -> None:
    """Tell no scheme from another one: answer 400 at once."""
    peer.send(answer(b"", status="400 Bad Request"))


@contextmanager
def _with(certificate: str | None, scheme: str = "https", script: Script = _refuse) -> Iterator[str]:
    with RawServer(script, serving(certificate) if certificate else None) as server:
        yield f"{scheme}://127.0.0.1:{server.port}"


def _trusting(certificate: str) -> tuple[str, str]:
    return "--ca-file", str(CERTIFICATES / f"{certificate}.pem")


UNREACHABLE: dict[str, tuple[Callable[[], AbstractContextManager[str]], tuple[str, ...], int, tuple[str, ...]]] = {
    "connection refused": (lambda: nullcontext(refusing()), (), 3, ("nothing listens", "Check host and port")),
    "closed without an answer": (lambda: _with(None, "http", Peer.head), (), 3, ("closed", "cause network", "fix")),
    "hangs": (lambda: _with(None, "http", Peer.hang), ("--timeout", "0.5"), 3, ("more time with --timeout",)),
    "HTML everywhere": (_pages, (), 2, ("HTML instead of JSON", "cause configuration", "the path of the base_url")),
    "self-signed": (lambda: _with("right-name"), (), 3, ("self-signed", "--ca-file", "cause network")),
    "wrong name": (lambda: _with("wrong-name"), _trusting("wrong-name"), 3, ("for another address",)),
    "https, and http is given": (lambda: _with("right-name", "http"), (), 3, ("check scheme and port of the",)),
    "http, and https is given": (lambda: _with(None), (), 3, ("give a base_url with http",)),
    "another origin": (lambda: _moved("http://[::1]:8"), (), 3, ("(http://[::1]:8)", "base_url: http://[::1]:8")),
}
"""What is served, with which options it is checked, the exit code and words of the message."""


@pytest.mark.parametrize("case", UNREACHABLE)
def test_an_address_without_the_interface(command: Command, folder: Path, case: str) -> None:
    serve, options, code, words = UNREACHABLE[case]
    with serve() as base_url:
        is_one_message(command("check", base_url, *options), *words, code=code)
    assert names_in(folder) == set()


def test_what_the_doctor_created_and_could_not_delete_is_named(command: Command, folder: Path) -> None:
    class Forgetful(Service):
        """Takes no token but for the creation that comes after two calls with each, and none to delete it with."""

        def accept(self, token: str) -> User | None:
            return super().accept(token) if self.turn("token") == 4 else None

    with served(Forgetful) as service:
        result = command("check", service.base_url, "--other-token", "someone-else", "--output", "out")
    is_one_message(result, "is refused", "out/journal.jsonl names what is left")
    assert service.live == 1
    journal = folder / "out" / "journal.jsonl"
    assert service.service.store.all()[0].id in journal.read_text()
    assert [path.name for path in journal.parent.iterdir()] == ["journal.jsonl"]


def test_authorities_of_the_environment_that_are_no_use(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere.pem")
    is_one_message(command("check", "https://127.0.0.1:9"), "SSL_CERT_FILE or SSL_CERT_DIR: No such file")
