"""What an authorisation server may answer instead of a token: each is bounded, and worded without its secrets."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from typing import Any

import httpx
import pytest
from raw_server import RawServer, Script, endless, silent

from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.transport import BoundedTransport
from conformance.login.callback import Callback
from conformance.login.calls import LONGEST_LIFE, Calls, Secrets, checked_address, seconds_in
from conformance.login.grants import Client
from conformance.login.server import Server, discovered, explicit
from conformance.model.errors import ConfigurationFault, PassingFault

BASE = "https://auth.example/realm"
SERVER = Server(
    issuer=BASE,
    authorization=f"{BASE}/authorize",
    token=f"{BASE}/token",
    device=f"{BASE}/device",
    names_itself=True,
)
SECRET = "s3cret-of-the-client-0123456789"
GOOD = {"access_token": "a-token", "token_type": "Bearer"}


def calls(answer: Callable[[httpx.Request], httpx.Response]) -> Calls:
    return Calls(httpx.MockTransport(answer), Secrets())


def client(*answers: httpx.Response) -> Client:
    left = list(answers)
    return Client(calls(lambda _: left.pop(0)), SERVER, "client", SECRET)


def said(*answers: httpx.Response) -> str:
    with pytest.raises(ConfigurationFault) as caught:
        client(*answers).renewed("refresh-token-0123456789")
    return f"{caught.value} {caught.value.remedy}"


def metadata(**members: Any) -> dict[str, Any]:
    return {"issuer": BASE, "token_endpoint": f"{BASE}/token", **members}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.Response(200, html="<h1>It works</h1>"), "is answered 200 with text/html"),
        (httpx.Response(404, text="Not found"), "is answered 404 (text/plain; charset=utf-8). "),
        (httpx.Response(200, text="access_token=a&token_type=bearer"), "not application/json"),
        (httpx.Response(200, content=b"", headers={"content-type": "application/json"}), "the body is empty"),
        (httpx.Response(200, json=["a"]), "no JSON object"),
        (httpx.Response(200, json={"access_token": "two words"}), "The access_token contains characters"),
        (httpx.Response(200, json={**GOOD, "token_type": "DPoP"}), "of the type DPoP"),
        (httpx.Response(200, json={**GOOD, "refresh_token": "\u00e9"}), "The refresh_token has other characters"),
        (httpx.Response(200, content=b'{"a":' * 600, headers={"content-type": "application/json"}), "nested deeper"),
        (
            httpx.Response(302, headers={"location": "https://elsewhere.example/?code=1"}),
            "a redirect to https://elsewhere",
        ),
        (httpx.Response(400, json={"error": "invalid_grant"}), "is answered 400: invalid_grant. Ask those who run"),
        (httpx.Response(200, json={"error": "invalid_client"}), "is answered 200: invalid_client. "),
    ],
)
def test_what_is_no_token_is_worded(answer: httpx.Response, words: str) -> None:
    assert words in said(answer)


def test_the_text_of_a_server_loses_markup_controls_and_secrets() -> None:
    text = f"<b onclick='x'>no</b>\x1b[2J \u202e {SECRET} refresh-token-0123456789 " + "x" * 5_000
    message = said(httpx.Response(400, json={"error": "<i>bad</i>", "error_description": text}))

    assert "<" not in message
    assert "\x1b" not in message
    assert "\u202e" not in message
    assert SECRET not in message
    assert "refresh-token-0123456789" not in message
    assert "[client_secret]" in message or "[refresh_token]" in message
    assert len(message) < 1_000


@pytest.mark.parametrize(
    ("received", "seconds"),
    [
        (3600, 3600),
        (10**30, LONGEST_LIFE),
        (1e308, LONGEST_LIFE),
        (-1, None),
        (True, None),
        ("soon", None),
    ],
)
def test_the_life_of_a_token(received: object, seconds: int | None) -> None:
    assert seconds_in(received) == seconds
    found = client(httpx.Response(200, json={**GOOD, "expires_in": received, "expires_at": "x"})).renewed("r")
    assert found.get("expires_in") == seconds


@pytest.mark.parametrize(("script", "words"), [(endless, "exceeds"), (silent, "no byte of an answer")])
def test_an_endless_answer_and_a_slow_one_are_bounded(script: Script, words: str) -> None:
    bounds = Limits(deadline=5, first_byte=0.2, wire=50_000, decoded=50_000)
    with (
        RawServer(script) as server,
        closing(BoundedTransport(bounds=bounds)) as transport,
        pytest.raises(PassingFault, match=words),
    ):
        Calls(transport, Secrets()).get(server.url)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"issuer": "https://other.example"}, "is that of the issuer 'https://other.example'"),
        (metadata(token_endpoint="http://auth.example/token"), "token_endpoint is not https"),
        (metadata(token_endpoint="https://elsewhere.example/token"), "leads to another origin"),
        (metadata(token_endpoint=5), "token_endpoint is no address"),
        (metadata(code_challenge_methods_supported=["plain"]), "does not know PKCE with S256"),
    ],
)
def test_metadata_that_is_not_followed(found: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationFault, match=words):
        discovered(calls(lambda _: httpx.Response(200, json=found)), BASE, Server())


def test_metadata_is_looked_for_in_both_places() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        if "openid" in request.url.path:
            return httpx.Response(200, json=metadata(token_endpoint_auth_methods_supported=["client_secret_post"]))
        return httpx.Response(404, html="<h1>Not found</h1>")

    server = discovered(calls(answer), f"{BASE}/", explicit({"device": "https://elsewhere.example/device"}))

    assert asked == [
        "https://auth.example/.well-known/oauth-authorization-server/realm",
        f"{BASE}/.well-known/openid-configuration",
    ]
    assert (server.device, server.secret_in_body) == ("https://elsewhere.example/device", True)


@pytest.mark.parametrize(
    "address",
    [
        "http://auth.example/",
        "http://127.0.0.1.auth.example/",
        "https://user:password@auth.example/",
        "https://",
        "https://[::1",
        "https://xn--n3h.example/",
        None,
        "",
    ],
)
def test_addresses_that_are_refused(address: object) -> None:
    with pytest.raises(ConfigurationFault) as caught:
        checked_address(address, "oAuthUrl")
    assert "user:password" not in str(caught.value)


def code_from(**answer: str) -> Client:
    """Log in with a browser that brings this answer; {state} is the right one."""
    one = client(httpx.Response(200, json=GOOD))

    def brings(address: str) -> None:
        state = httpx.URL(address).params["state"]
        params = {name: value.format(state=state) for name, value in answer.items()}
        assert httpx.get(callback.uri, params=params).status_code == 200

    with Callback() as callback:
        assert one.by_code(callback, brings, 30)["access_token"] == "a-token"
    return one


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"code": "c", "iss": BASE}, "does not have the state"),
        ({"code": "c", "state": "another", "iss": BASE}, "does not have the state"),
        ({"code": "c", "state": "\u00e9", "iss": BASE}, "does not have the state"),
        ({"error": "access_denied", "state": "another", "iss": BASE}, "does not have the state"),
        ({"code": "c", "state": "{state}"}, "names no issuer"),
        ({"code": "c", "state": "{state}", "iss": f"{BASE}/"}, "names the issuer"),
        ({"code": "", "state": "{state}", "iss": BASE}, "has no code"),
        ({"error": "<b>x</b>", "state": "{state}", "iss": BASE}, "The login was refused: x"),
    ],
)
def test_an_answer_of_the_browser_that_is_refused(answer: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigurationFault, match=words):
        code_from(**answer)


def test_the_callback_answers_its_own_address_only() -> None:
    with Callback() as callback:
        host = httpx.URL(callback.uri).netloc.decode()
        assert host.startswith("127.0.0.1:")
        for url, headers in (
            (f"http://{host}/favicon.ico", {}),
            (f"http://{host}/other?code=c", {}),
            (callback.uri, {}),
            (f"{callback.uri}?code=c", {"Host": "attacker.example"}),
        ):
            assert httpx.get(url, headers=headers).status_code == 404
        assert httpx.post(f"{callback.uri}?code=c").status_code == 404
        with pytest.raises(PassingFault, match="No answer of the browser came"):
            callback.wait(0.01)
        answer = httpx.get(f"{callback.uri}?code=c&state=<script>")
        assert "<script>" not in answer.text
        assert answer.headers["content-security-policy"] == "default-src 'none'"
        assert callback.wait(5) == {"code": "c", "state": "<script>"}


@pytest.mark.parametrize(
    "address", ["https://127.0.0.1/", "http://0.0.0.0:1/", "http://elsewhere.example/", "http://127.0.0.1:x/"]
)
def test_the_callback_listens_on_this_machine_only(address: str) -> None:
    with pytest.raises(ConfigurationFault, match="--redirect-uri"):
        Callback(address)
    with Callback() as one, pytest.raises(ConfigurationFault, match="cannot be listened on"), Callback(one.uri):
        pass


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({}, "no device_code and user_code"),
        ({"device_code": "\u00e9", "user_code": "u", "verification_uri": BASE}, "The device_code has other characters"),
        ({"device_code": "d", "user_code": "u", "verification_uri": "javascript:alert(1)"}, "verification_uri"),
        ({"device_code": "d", "user_code": "u", "verification_uri": BASE, "expires_in": 0}, "not entered in time"),
    ],
)
def test_a_device_that_gets_no_code(answer: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationFault, match=words):
        client(httpx.Response(200, json=answer)).by_device(lambda *_: None, 30)


def test_a_device_code_cannot_write_on_the_terminal() -> None:
    shown: list[str] = []
    answer = {"device_code": "d", "user_code": "\x1b[2J<b>A</b>", "verification_uri": BASE, "expires_in": 0}
    with pytest.raises(PassingFault):
        client(httpx.Response(200, json=answer)).by_device(lambda *texts: shown.extend(texts), 30)
    assert shown == [BASE, "\\x1b[2J A"]


def test_a_device_waits_for_its_token_as_long_as_the_server_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("conformance.http.clock._Machine.sleep", lambda _self, seconds, *_: pauses.append(seconds))
    shown = {"device_code": "d", "user_code": "u", "verification_uri": BASE, "interval": 1}
    waits = [httpx.Response(400, json={"error": error}) for error in ("slow_down", "authorization_pending")]

    one = client(httpx.Response(200, json=shown), *waits, httpx.Response(200, json=GOOD))

    assert one.by_device(lambda *_: None, 30)["access_token"] == "a-token"
    assert pauses == [1, 6, 6]


def test_secrets_of_a_client_are_sent_as_the_server_takes_them() -> None:
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, text=json.dumps(GOOD), headers={"content-type": "application/json; charset=utf-8"})

    for in_body in (False, True):
        Client(
            calls(answer), Server(token=f"{BASE}/token", secret_in_body=in_body), "c", SECRET
        ).by_client_credentials()
    assert sent[0].headers["authorization"].startswith("Basic ")
    assert SECRET not in sent[0].content.decode()
    assert SECRET in sent[1].content.decode()
    assert "authorization" not in sent[1].headers
