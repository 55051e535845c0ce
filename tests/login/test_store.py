"""Logins in the key ring and in files, and their renewal by several runs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import keyring
import keyring.backend
import keyring.errors
import pytest
from platforms import SYMBOLIC_LINKS

from conformance.login import renewal, store
from conformance.login.login import Login
from conformance.login.renewal import LoginToken, Renewal
from conformance.login.server import Server
from conformance.model.errors import ConfigurationFault, PassingFault
from conformance.model.exchange import ErrorKind, TransportError

BASE = "https://service.example/api"


class Ring(keyring.backend.KeyringBackend):
    """A key ring in memory."""

    priority = 5  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise keyring.errors.PasswordDeleteError


class Locked(Ring):
    """A key ring that cannot be opened."""

    def get_password(self, service: str, username: str) -> str | None:
        raise keyring.errors.KeyringLocked(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:  # noqa: ARG002
        raise keyring.errors.KeyringLocked(password)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of this test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("DRSI_CLIENT_SECRET", raising=False)
    return tmp_path


@pytest.fixture
def ring() -> Iterator[Callable[[keyring.backend.KeyringBackend], None]]:
    """Use another key ring for the time of the test."""
    before = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(before)


def login(**members: object) -> Login:
    usual: dict[str, object] = {
        "base_url": BASE,
        "user": "first",
        "server": Server(token="https://auth.example/token"),
        "client_id": "client",
        "grant": "code",
        "access_token": "first-access-token",
        "refresh_token": "first-refresh-token",
        "obtained": time.time() - 100,
    }
    return Login(**{**usual, **members})  # type: ignore[arg-type]


def test_tokens_are_in_the_key_ring_and_not_in_the_file(ring: Callable[..., None], state: Path) -> None:
    ring(own := Ring())

    assert store.save(login()) == "the key ring of this system"

    assert store.load(BASE, "first") == login(obtained=store.load(BASE, "first").obtained)  # type: ignore[union-attr]
    (path,) = state.rglob("*.json")
    assert "first-" not in path.read_text("utf-8")
    assert [json.loads(each)["access_token"] for each in own.kept.values()] == ["first-access-token"]
    assert store.place(BASE, "first") == "keyring"
    store.remove(BASE, "first")
    assert (own.kept, list(state.rglob("*.json"))) == ({}, [])


def test_a_key_ring_that_cannot_be_used_is_replaced_by_a_file(ring: Callable[..., None]) -> None:
    ring(Locked())

    assert "a file for this user alone" in store.save(login())
    assert store.place(BASE, "first") == "file"
    with pytest.raises(ConfigurationFault, match="KeyringLocked") as caught:
        store.save(login(), "keyring")
    assert "first-access-token" not in str(caught.value)


def test_a_key_ring_that_is_locked_later_or_emptied(ring: Callable[..., None]) -> None:
    ring(Ring())
    store.save(login())
    for other, words in ((Locked(), "cannot be read: KeyringLocked"), (Ring(), "are not in the key ring")):
        ring(other)
        with pytest.raises(ConfigurationFault, match=words):
            store.load(BASE, "first")


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"tokens": {}}', '{"tokens": "key ring"}', '{"tokens": 5}'])
def test_a_file_that_is_no_login(content: str, ring: Callable[..., None]) -> None:
    ring(Ring())
    store.save(login(), "file")
    store.path_of(BASE, "first").write_text(content)
    with pytest.raises(ConfigurationFault):
        store.load(BASE, "first")


@SYMBOLIC_LINKS
def test_a_link_is_no_login() -> None:
    store.save(login(), "file")
    path = store.path_of(BASE, "first")
    path.rename(path.with_suffix(".real"))
    path.symlink_to(path.with_suffix(".real"))
    with pytest.raises(ConfigurationFault, match="cannot be read"):
        store.load(BASE, "first")


def test_the_address_of_a_service_has_one_form() -> None:
    store.save(login(base_url="https://Service.Example:443/api/"), "file")
    assert store.load(BASE, "first") is not None
    assert store.load("https://service.example/API", "first") is None


def renewing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let each renewal give a numbered token; return the access tokens that were renewed."""
    seen: list[str] = []

    def renewed(one: Login, _trusted: object, _given_up: object) -> Login:
        seen.append(one.access_token)
        return one.with_token({"access_token": f"token-{len(seen)}", "refresh_token": f"refresh-token-no-{len(seen)}"})

    monkeypatch.setattr(renewal, "renewed", renewed)
    return seen


def test_a_second_run_takes_what_the_first_one_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = renewing(monkeypatch)
    store.save(login(), "file")
    runs = [LoginToken(login(), httpx.BaseTransport) for _ in range(2)]

    assert [run.current() for run in runs] == ["first-access-token"] * 2
    assert [run.instead_of("first-access-token") for run in runs] == ["token-1", "token-1"]
    assert runs[0].instead_of("token-1") is None  # what was renewed moments ago is not renewed for each refusal
    assert seen == ["first-access-token"]


def test_a_run_knows_every_secret_of_its_login(monkeypatch: pytest.MonkeyPatch) -> None:
    renewing(monkeypatch)
    monkeypatch.setenv("DRSI_CLIENT_SECRET", "the-secret-of-the-client")
    one = login(has_secret=True)
    store.save(one, "file")
    token = LoginToken(one, httpx.BaseTransport)
    token.current()
    token.instead_of("first-access-token")

    assert token.used[0] == "first-access-token"
    assert set(token.used) == {
        *("first-access-token", "first-refresh-token", "the-secret-of-the-client"),
        *("token-1", "refresh-token-no-1"),
    }


def test_a_login_that_was_removed_meanwhile_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    renewing(monkeypatch)
    token = LoginToken(login(), httpx.BaseTransport)
    token.current()
    assert token.instead_of("first-access-token") == "token-1"
    assert store.load(BASE, "first") is None


def test_a_login_that_cannot_be_renewed() -> None:
    token = LoginToken(login(refresh_token=None), httpx.BaseTransport)
    assert not token.renewable
    assert token.current() == "first-access-token"
    assert token.instead_of("first-access-token") is None
    with pytest.raises(ConfigurationFault, match="it has expired, and the authorisation server gave no refresh token"):
        LoginToken(login(refresh_token=None, expires_at=time.time() - 1), httpx.BaseTransport).current()


def test_an_interrupt_gives_a_renewal_up() -> None:
    def interrupted(request: httpx.Request) -> httpx.Response:
        source.stop()
        raise TransportError(ErrorKind.CLOSED, request.extensions["given_up"]())

    source = Renewal(login(expires_at=time.time() - 1), lambda: httpx.MockTransport(interrupted))
    with pytest.raises(PassingFault, match="interrupted"):
        source.output()
