"""`login` and `logout`: from the settings of a service to a run with a token that is renewed."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from authorisation_server import AUDIENCE, CONFIDENTIAL, PUBLIC, SECRET, Issuer, browser, protected
from cli_services import Command, Served, refusing, served
from hostile_texts import HOSTILE
from platforms import POSIX_MODES

from conformance.cli.errors import Failure
from conformance.login import store
from conformance.login.commands import login as login_command
from conformance.login.login import Login
from conformance.model.printable import HAZARD
from conformance.model.target import Target
from conformance.reference.call import Call


@pytest.fixture
def issuer(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[Served]:  # noqa: ARG001
    """An authorisation server, and a browser in which a user is logged in."""
    monkeypatch.setattr("webbrowser.open", browser)
    with served(Issuer) as server:
        yield server


@pytest.fixture
def service(issuer: Served) -> Iterator[Served]:
    """A service that takes the tokens of the authorisation server."""
    with served(protected(issuer)) as one:
        yield one


@pytest.mark.parametrize(
    ("member", "grant"),
    [("oAuthClientId", "client-credentials"), ("oAuthUrl", "device")],
)
def test_no_text_of_the_settings_breaks_a_login_or_writes_on_the_terminal(
    command: Command, issuer: Served, grant: str, member: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("--store", "file", "--grant", grant)
    if grant == "client-credentials":
        monkeypatch.setenv("DRSI_CLIENT_SECRET", SECRET)
        given += ("--oauth-url", issuer.base_url)
    values = iter(HOSTILE)

    class Hostile(protected(issuer)):  # type: ignore[misc]
        def settings(self, call: Call) -> Any:
            return {**super().settings(call), member: next(values)}

    with served(Hostile) as service:
        for value in HOSTILE:
            result = command("login", service.base_url, *given)

            written = result.out + result.err
            assert result.code == 2, (value, written)
            assert not HAZARD.search(written.replace("\n", "")), value
            assert len(written) < 2_000, value
    assert not list(store.stored(service.base_url))


def login_of(service: Served, user: str = "first") -> Login:
    found = store.load(service.base_url, user)
    assert found is not None
    return found


def everything_below(folder: Path) -> str:
    return "\n".join(path.read_text("utf-8", "replace") for path in folder.rglob("*") if path.is_file())


def test_a_login_by_code_serves_the_doctor_and_a_run(command: Command, issuer: Served, service: Served) -> None:
    result = command("login", service.base_url, "--store", "file")
    issuer.service.user = "bob.example"
    second = command("login", service.base_url, "--store", "file", "--user", "other")

    assert (result.code, second.code, result.err) == (0, 0, "")
    assert f"The service names the OAuth server {issuer.base_url}" in result.out
    doctor = command("doctor", service.base_url)
    assert (doctor.code, "accepted, another user" in doctor.out) == (0, True)
    done = command("check", service.base_url, "--quiet", "--output", "out", only=("4.4-answers-200",))
    assert done.code == 0, done.out + done.err
    assert "The first user's token is that of the login of" in done.err
    assert service.live == 0


@POSIX_MODES
def test_the_tokens_are_in_a_file_for_this_user_alone(command: Command, folder: Path, service: Served) -> None:
    result = command("login", service.base_url, "--store", "file")

    path = store.path_of(service.base_url, "first")
    assert str(path) in result.out
    assert not path.is_relative_to(folder)
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)
    assert list(folder.iterdir()) == []
    login = login_of(service)
    assert login.access_token not in repr(login)

    path.chmod(0o644)
    result = command("doctor", service.base_url)
    assert (result.code, "other users of this machine can read" in result.err) == (2, True)
    assert command("doctor", service.base_url, "--no-login").code == 2  # no token


def test_a_token_is_renewed_during_a_run(
    command: Command, folder: Path, issuer: Served, service: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("login", service.base_url, "--store", "file")
    first = login_of(service)
    issuer.service.expire()
    monkeypatch.setattr("conformance.login.renewal._JUST_NOW", 0.0)

    done = command("check", service.base_url, "--quiet", "--output", "out", only=("4.4-answers-200",))

    assert done.code == 0, done.out + done.err
    second = login_of(service)
    assert second.access_token != first.access_token
    assert second.refresh_token != first.refresh_token
    written = everything_below(folder)
    secrets = {first.access_token, second.access_token, first.refresh_token, second.refresh_token}
    assert [each for each in secrets if each in written + done.out + done.err] == []
    assert "refused a token that" in written


def test_a_login_of_the_client_itself(
    command: Command, folder: Path, issuer: Served, service: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRSI_CLIENT_SECRET", SECRET)
    given = ("--grant", "client-credentials", "--client-id", CONFIDENTIAL, "--store", "file")
    issuer.service.life = 1
    unnamed = command("login", service.base_url, *given)
    assert (unnamed.code, f"--oauth-url {issuer.base_url}" in unnamed.err) == (2, True), unnamed.err
    assert not [each for each in issuer.calls if each.path.endswith("/token")]
    issuer.calls.clear()
    explicit = command("login", service.base_url, *given, "--token-endpoint", f"{issuer.base_url}/oauth/token")
    assert (explicit.code, [each.path[-6:] for each in issuer.calls]) == (0, ["/token"]), explicit.err
    result = command("login", service.base_url, *given, "--oauth-url", issuer.base_url)
    issuer.service.life = 3_600

    assert result.code == 0, result.err
    assert login_of(service).refresh_token is None
    assert SECRET not in everything_below(folder.parent)
    assert command("doctor", service.base_url).code == 0  # renewed, by the secret in the variable
    monkeypatch.delenv("DRSI_CLIENT_SECRET")
    issuer.service.expire()
    store.save(login_of(service).with_token({"access_token": "over", "expires_in": 0}), "file")
    without = command("doctor", service.base_url)
    assert (without.code, "Set DRSI_CLIENT_SECRET" in without.err) == (2, True)


def test_a_run_has_the_foreign_and_the_expired_token(
    command: Command, issuer: Served, service: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A foreign token names another audience; the expired one is kept until it has expired."""

    def made(user: str, *words: str) -> int:
        return command("login", service.base_url, "--store", "file", "--user", user, *words).code

    made("first")
    assert made("foreign") == 2
    assert made("foreign", "--audience", AUDIENCE) == 2  # that of the user's own token
    assert made("foreign", "--audience", service.base_url) == 2
    assert made("foreign", "--audience", "https://elsewhere.example") == 0
    assert login_of(service, "foreign").refresh_token is None
    issuer.service.user = "bob.example"
    made("other")
    issuer.service.life = 60
    assert made("expired") == 0

    run = ("check", service.base_url, "--quiet", "--output", "out")
    early = command(*run, only=("4.4-answers-200",))
    assert "the expired token of 'login' is not used: services may accept it until" in early.err
    monkeypatch.setattr("conformance.login.commands.logins.LEEWAY", -60.0)
    monkeypatch.setattr("conformance.run.preflight.LEEWAY", -60.0)
    issuer.service.issued[-1].until = 0
    late = command(*run, only=("5.3-read-with-bad-token",))
    assert late.code == 0, late.out + late.err
    options = json.loads(Path("out/report.json").read_text("utf-8"))["run"]["options"]
    assert (options["foreign-token"], options["expired-token"]) == (True, True)


def test_logout_removes_the_tokens(command: Command, service: Served) -> None:
    command("login", service.base_url, "--store", "file")
    result = command("logout", service.base_url)
    assert (result.code, result.out) == (0, f"Removed the first token for {service.base_url}.\n")
    assert list(store.stored(service.base_url)) == []
    assert command("logout", service.base_url).code == 2


def test_a_pasted_answer_and_endpoints_that_are_given(
    command: Command,
    issuer: Served,
    service: Served,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            address = next(line for line in capfd.readouterr().out.splitlines() if "/authorize?" in line)
            return f"{httpx.get(address).headers['location']}\n"

    monkeypatch.setattr(sys, "stdin", Terminal())
    endpoints = [f"--{each}-endpoint={issuer.base_url}/oauth" for each in ("authorization", "token")]
    given = (f"{endpoints[0]}/authorize", f"{endpoints[1]}/token", "--client-id", PUBLIC)
    result = command("login", service.base_url, "--store", "file", "--print-url", *given)

    assert (result.code, bool(login_of(service).access_token)) == (0, True), result.err
    assert {each.path.rpartition("/oauth")[2] for each in issuer.calls} == {"/authorize", "/token"}


def test_a_folder_of_logins_that_cannot_be_used(
    command: Command, service: Served, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (folder / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "file"))
    result = command("login", service.base_url, "--store", "file")
    assert (result.code, "The folder of the logins cannot be used" in result.err) == (2, True)
    assert "No access token was given" in command("doctor", service.base_url).out


def test_a_login_needs_an_address_and_a_service_there(command: Command) -> None:
    assert "Add the BASE_URL" in command("login").err
    result = command("login", refusing())
    assert (result.code, "GET /settings does not say where to log in." in result.err) == (2, True)
    assert "Check host and port" in result.err
    assert "Traceback" not in result.err
    with served() as service:
        gate = command("login", service.base_url, "--header", "Authorization: Basic bm9ib2R5OnNlY3JldA==")
    assert (gate.code, "needs --profile public" in gate.err) == (2, True)


@pytest.mark.parametrize("address", ["http://127.0.0.1:8080", "https://localhost/x", "http://[::1]/"])
def test_a_service_elsewhere_cannot_name_a_server_of_this_machine(address: str) -> None:
    with pytest.raises(Failure, match="an OAuth server on this machine"):
        login_command._refuse_this_machine(address, Target(base_url="https://service.example"))
    login_command._refuse_this_machine(address, Target(base_url="http://127.0.0.1/api"))
