"""What a run brings beside the access token, and by which way it goes: --header, --client-cert, --proxy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from cli_services import Command, Result, report_of
from forward_proxy import ForwardProxy
from gated import BASIC, KEY, PAIR, gated

from conformance.calibration.faults import FAULTS
from conformance.cli.route import Route
from conformance.http.wire.exchange_limits import Limits
from conformance.reference.call import Call
from conformance.reference.config import User

pytestmark = pytest.mark.usefixtures("tokens")


def shown_of(folder: Path, result: Result, *secrets: str) -> list[str]:
    """Return the forms of secrets that the output of a run shows."""
    texts = [result.out, result.err, *(each.read_text("utf-8") for each in (folder / "out").iterdir())]
    forms = [form for each in secrets for form in (each, quote(each, safe=""))]
    return [form for form in forms if any(form in text for text in texts)]


def test_every_call_brings_the_header_and_no_file_shows_it(command: Command, folder: Path) -> None:
    (folder / "keys").write_text(f"X-Api-Key: {KEY}\n\n# the gateway\n", "utf-8-sig")  # as Windows saves it
    with gated(FAULTS["create-answers-202"].service) as gate:
        options = ("--header", "@keys", "--output", "out")
        result = command("check", gate.base_url, *options, only=("4.1-answers-200", "4.4", "5.3"))
        assert (result.code, gate.service.refused) == (1, [])
        assert "with the header X-Api-Key" in result.err
        assert report_of(folder / "out")["run"]["options"]["header"] == ["X-Api-Key"]
        assert shown_of(folder, result, KEY) == []
        assert """-H 'X-Api-Key: '"$DRSI_HEADER_X_API_KEY" """ in result.out
        assert command("verify", "out").code == 0

        script = command("reproduce", "out", "4.1-answers-200").out
        (folder / "script.py").write_text(script, "utf-8")
        environment = {**os.environ, "DRSI_HEADER_X_API_KEY": KEY}
        for given, code in ((environment, 1), ({**os.environ}, 2)):
            done = subprocess.run([sys.executable, "script.py"], env=given, capture_output=True, text=True, check=False)
            assert done.returncode == code, done.stderr
        assert gate.service.refused == []


class _OfTheSameUsers(FAULTS["settings-legal-entity-absent"].service):  # type: ignore[name-defined,misc]
    """Takes name and password of the gate for those of a user, as RemoteUserMiddleware of Django does."""

    def authenticate(self, call: Call) -> User | None:
        return self.config.users[0] if BASIC in call.authorization else super().authenticate(call)


def test_basic_authentication_is_passed_where_no_token_is_sent(command: Command, folder: Path) -> None:
    """A staging system behind auth_basic of nginx, which passes the field on to the service."""
    (folder / "gate").write_text(f"authorization: {BASIC}\n", "utf-8")
    with gated(_OfTheSameUsers, ("authorization", BASIC)) as gate:
        result = command("doctor", gate.base_url)
        assert (result.code, "--profile public --header 'Authorization: Basic …'" in result.out) == (2, True)
        gate.service.refused.clear()

        options = ("--header", "@gate", "--profile", "public")
        result = command("check", gate.base_url, *options, "--only", "2.3,5.3", "--output", "out")
        rows = report_of(folder / "out")["requirements"]
        assert (result.code, gate.service.refused) == (1, [])
        assert [each["id"] for each in rows if each["verdict"] == "fail"] == ["2.3-legalEntity"]
        secrets = [BASIC.partition(" ")[2], PAIR, PAIR.partition(":")[2]]
        assert shown_of(folder, result, *secrets) == []
        assert """-H 'authorization: '"$DRSI_HEADER_AUTHORIZATION" """ in result.out

        result = command("check", gate.base_url, "--header", "@gate")
        assert (result.code, "needs --profile public" in result.err, gate.service.refused) == (2, True, [])

        (folder / "gate").write_text(f"Authorization: {BASIC[:-8]}\n", "utf-8")
        result = command("check", gate.base_url, *options)
        assert (result.code, "either the gate does not accept it" in result.err) == (2, True)


def test_only_the_own_origin_gets_the_header() -> None:
    seen: list[httpx.Headers] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers)
        return httpx.Response(200)

    transport: Any = Route(header=(("X-Api-Key", KEY),)).to_others(Limits(), "https://a.example/api")
    transport._inner = httpx.MockTransport(answer)
    for url in ("https://a.example/token", "https://b.example/token", "http://a.example/", "https://a.example:444/"):
        transport.handle_request(httpx.Request("GET", url))
    assert [each.get("x-api-key") for each in seen] == [KEY, None, None, None]


def test_a_proxy_of_the_environment_is_used_and_named(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with gated() as gate, ForwardProxy("bob:p4ss-of-the-proxy") as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://bob:p4ss-of-the-proxy@127.0.0.1:{proxy.port}")
        (folder / "keys").write_text(f"X-Api-Key: {KEY}\n", "utf-8")
        options = ("--header", "@keys", "--output", "out")
        result = command("check", gate.base_url, *options, only=("4.3-answers-ok",))
        assert (result.code, gate.service.refused) == (0, []), result.err
        assert f"through the proxy {proxy.address} (HTTP_PROXY)" in result.err
        assert f"through the proxy {proxy.address}" in (folder / "out" / "report.html").read_text("utf-8")
        assert proxy.requests
        assert shown_of(folder, result, "p4ss-of-the-proxy") == []

        monkeypatch.setenv("HTTP_PROXY", proxy.address)
        refused = command("check", gate.base_url)
        assert (refused.code, "wants name and password (407)" in refused.err) == (3, True)
