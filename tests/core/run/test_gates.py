"""What stands in front of a service: told by what it answers, and never held against the service."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from whole_runs import Send, around, session_over

from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Variant
from conformance.model.error_table import UNAUTHORIZED
from conformance.model.findings import Note
from conformance.model.option_values import checked_proxy
from conformance.model.verdict import Blame, Exit
from conformance.run.doctor import examine

AZURE = 'AzureApiManagementKey realm="https://a.example",name="Ocp-Apim-Subscription-Key",type="header"'
ACCESS = "https://team.cloudflareaccess.com/cdn-cgi/access/login/x?kid=1"
NGINX = "<html><title>400 No required SSL certificate was sent</title><center>nginx</center></html>"

Gate = tuple[int, dict[str, str], str]

GATES: dict[str, tuple[Gate, tuple[str, ...]]] = {
    "Amazon API Gateway": ((403, {}, '{"message":"Forbidden"}'), ("--header 'NAME: …'", "X-Api-Key")),
    "Amazon, unknown path": (
        (
            403,
            {"x-amzn-ErrorType": "MissingAuthenticationTokenException"},
            '{"message":"Missing Authentication Token"}',
        ),
        ("--header 'NAME: …'", "correct the base_url"),
    ),
    "Azure API Management": ((401, {"WWW-Authenticate": AZURE}, "{}"), ("Ocp-Apim-Subscription-Key",)),
    "Google API Gateway": (
        (401, {}, '{"message":"UNAUTHENTICATED: Method doesn\'t allow unregistered callers","code":401}'),
        ("--header 'NAME: …'",),
    ),
    "Basic": (
        (401, {"WWW-Authenticate": 'Basic realm="staging, Bearer"'}, "<h1>401</h1>"),
        ("cannot bring both", "--profile public --header 'Authorization: Basic …'", "another header", "--client-cert"),
    ),
    "Cloudflare Access": ((302, {"Location": ACCESS}, ""), ("CF-Access-Client-Id", "CF-Access-Client-Secret")),
    "Entra": ((302, {"Location": "https://login.microsoftonline.com/x/oauth2/authorize"}, ""), ("--header 'NAME: …'",)),
    "oauth2-proxy": ((302, {"Location": "http://localhost/oauth2/start"}, ""), ("/oauth2/start", "--header 'NAME: …'")),
    "nginx with mutual TLS": ((400, {}, NGINX), ("No required SSL certificate was sent", "--client-cert PEM")),
    "a proxy that was not named": ((407, {}, ""), ("A proxy on the way", "--proxy http://NAME:PASSWORD@HOST:PORT")),
}


def seen(
    gate: Gate, admits: str = "", service: Variant | None = None, *, public: bool = False, **target: Any
) -> list[Note]:
    """Return what the look before a run finds at a service behind a gate, which admits calls with one field."""

    def answer(request: httpx.Request, send: Send) -> httpx.Response:
        if admits and admits in request.headers:
            return send(request)
        status, headers, body = gate
        kind = "application/json" if body.startswith("{") else "text/html"
        return httpx.Response(status, headers={"Content-Type": kind, **headers}, content=body.encode())

    with session_over(bend=service, wrap=around(answer), **target) as session:
        if public:
            session.credentials.clear()
        return examine(session, needs_token=True).problems


@pytest.mark.parametrize("name", GATES)
def test_a_gate_is_recognised_and_the_option_named(name: str) -> None:
    gate, words = GATES[name]
    (problem,) = seen(gate)
    assert [each for each in words if each not in f"{problem.message} {problem.remedy}"] == []
    by_a_proxy = gate[0] == 407
    expected = (Blame.NETWORK, Exit.INCONCLUSIVE) if by_a_proxy else (Blame.CONFIGURATION, Exit.USAGE)
    assert (problem.blame, problem.exit_code) == expected


def test_a_service_may_refuse_the_credential_of_a_gate_that_passes_it_on() -> None:
    """Public calls with a credential are open (5, item 4), and nginx, Apache and Traefik do not remove it."""
    twin, gate = TWINS["public-calls-refuse-every-token"], GATES["Basic"][0]
    (problem,) = seen(
        gate, "authorization", twin, public=True, headers=(("Authorization", "Basic c3RhZ2U6cGFzc3dvcmQ="),)
    )
    assert "or the gate passes it on to the service" in problem.message
    assert (problem.blame, problem.exit_code) == (Blame.CONFIGURATION, Exit.USAGE)


def test_a_service_that_refuses_only_calls_without_a_token_is_no_gate() -> None:
    """Spring Security answers 401 with Basic to each call without credentials, by default."""
    problems = seen(GATES["Basic"][0], "authorization")
    assert [each.message for each in problems] == ["GET /settings requires a token.", "GET /data requires a token."]


REFUSAL = json.dumps({"error": UNAUTHORIZED.error, "message": UNAUTHORIZED.message})
"""Flask-HTTPAuth adds a challenge for Basic to it."""


@pytest.mark.parametrize(
    ("challenge", "body"), [('Basic realm="x"', REFUSAL), ('Bearer realm="x"', ""), ("Basic, Bearer", "")]
)
def test_a_refusal_or_a_challenge_for_the_token_is_that_of_the_service(challenge: str, body: str) -> None:
    problems = seen((401, {"WWW-Authenticate": challenge}, body))
    assert [each.message for each in problems if each.message.startswith("A gate")] == []


def test_a_password_that_the_proxy_does_not_accept() -> None:
    gate, proxy = GATES["a proxy that was not named"][0], checked_proxy("http://bob:topsecret@proxy.example")
    (problem,) = seen(gate, proxy=proxy)
    assert "http://proxy.example:80 does not accept the name and password" in problem.message
    assert "topsecret" not in f"{problem.message} {problem.remedy}"
