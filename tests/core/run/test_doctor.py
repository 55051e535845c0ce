"""The look at the target before a run: gates, addresses of no service, tokens, clocks, and accounts of persons."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from typing import Any

import httpx
import pytest
from hand_made import Waits, jwt
from whole_runs import USERS, Send, Silent, around, config, problem_of, session_over, target_of

from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Variant
from conformance.http.session import Session
from conformance.model.error_table import UNAUTHORIZED
from conformance.model.findings import Note
from conformance.model.option_values import checked_proxy
from conformance.model.verdict import Blame, Exit
from conformance.reference.app import build_app
from conformance.reference.config import User
from conformance.run import in_process
from conformance.run.check import CannotBegin, check
from conformance.run.doctor import examine
from conformance.run.explanations import ROWS
from conformance.run.plan import Plan
from conformance.run.preflight import Symptom

AZURE = 'AzureApiManagementKey realm="https://a.example",name="Ocp-Apim-Subscription-Key",type="header"'
ACCESS = "https://team.cloudflareaccess.com/cdn-cgi/access/login/x?kid=1"
NGINX = "<html><title>400 No required SSL certificate was sent</title><center>nginx</center></html>"

Gate = tuple[int, dict[str, str], str]

GATES: dict[str, tuple[Gate, tuple[str, ...]]] = {
    "Amazon API Gateway": ((403, {}, '{"message":"Forbidden"}'), ("--header 'NAME: …'", "X-Api-Key")),
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


Answer = Callable[[httpx.Request], httpx.Response]

PAGES: dict[str, Answer] = {
    "nginx": lambda _: httpx.Response(404, html="<html><center><h1>404 Not Found</h1></center><hr>nginx</html>"),
    "Caddy": lambda _: httpx.Response(200, headers={"server": "Caddy"}),
    "Railway": lambda asked: httpx.Response(
        404, json={"message": "Application not found", "request_id": f"7{id(asked)}"}
    ),
    "Spring": lambda asked: httpx.Response(404, json={"path": asked.url.path, "status": 404, "error": "Not Found"}),
    "Django, with DEBUG": lambda asked: httpx.Response(
        404, html=f"<p>The current path, <code>{asked.url.path[1:]}</code>, did not match. Your Django settings file …"
    ),
    "Django": lambda _: httpx.Response(400, html="<h1>Bad Request (400)</h1>"),
    "a file server": lambda asked: httpx.Response(405 if asked.method == "POST" else 410),
    "nginx, forbidden": lambda _: httpx.Response(403, html="<center><h1>403 Forbidden</h1></center><hr>nginx"),
    "an upgrade": lambda _: httpx.Response(426, headers={"upgrade": "h2c"}),
}


@pytest.mark.parametrize("page", PAGES)
def test_one_answer_to_every_path_is_about_the_address(page: str) -> None:
    with (
        session_over(wrap=lambda _service: httpx.MockTransport(PAGES[page])) as session,
        pytest.raises(CannotBegin) as caught,
    ):
        check(session, Plan(), Silent())

    found = problem_of(caught.value)
    assert (found.blame, found.exit_code) == (Blame.CONFIGURATION, Exit.INCONCLUSIVE)
    assert found.remedy


@pytest.mark.parametrize(("status", "blame"), [(405, None), (500, Blame.NETWORK)])
def test_a_failure_of_every_reading_is_not_about_the_address(status: int, blame: Blame | None) -> None:
    failing = httpx.MockTransport(lambda _: httpx.Response(status, json={"error": "x", "message": "y"}))
    with session_over(wrap=lambda _service: failing) as session:
        fatal = examine(session, needs_token=True).fatal

    assert (fatal and fatal.blame) == blame


BEGINS = 1773480413
"""When the clock of the service starts, in seconds since 1970."""


def examined(token: str = USERS[0].token, **changes: Any) -> list[Note]:
    """Return what the doctor finds where the user has a token."""
    with session_over(config(users=(User("alice.example", token), USERS[1]), **changes)) as session:
        return examine(session, needs_token=True).problems


def test_each_symptom_is_explained() -> None:
    assert set(ROWS) == set(Symptom)


@pytest.mark.parametrize(
    ("claims", "offset", "words"),
    [
        ({"exp": BEGINS + 0.1}, 0.0, ["expires in 0.1 s"]),
        ({"exp": BEGINS - 7200}, 0.0, ["expired 2 h ago"]),
        ({"exp": BEGINS + 86_340}, 86_400.0, ["expired 60 s ago"]),  # by the clock of the service
        ({"exp": BEGINS + 3600}, 0.0, []),
        ({}, 0.0, []),
        ({"exp": "soon"}, 0.0, []),
    ],
)
def test_a_token_that_expires_soon_is_named(claims: dict[str, Any], offset: float, words: list[str]) -> None:
    found = [each for each in examined(jwt(sub="alice", **claims), clock_offset=offset) if "token" in each.message]

    assert len(found) == len(words)
    for problem, said in zip(found, words, strict=True):
        assert problem.message.startswith(f"The access token {said}")
        assert (problem.blame, problem.exit_code) == (Blame.CREDENTIAL, None)
        assert "--token-command" in problem.remedy


@pytest.mark.parametrize(("offset", "words"), [(-61.0, "61 s"), (86_400.0, "24 h")])
def test_clocks_that_differ_are_named(offset: float, words: str) -> None:
    (problem,) = examined(clock_offset=offset)

    assert problem.message.startswith(f"The clocks differ by {words}: the target says ")
    assert problem.exit_code is None


@pytest.mark.parametrize(
    ("base_url", "profile", "named"),
    [
        ("http://service.example/api", "full", True),
        ("http://service.example/api", "public", False),
        ("https://service.example/api", "full", False),
        ("http://127.0.0.7:8080/api", "full", False),
        ("http://localhost/api", "full", False),
    ],
)
def test_tokens_over_plain_http_are_named(base_url: str, profile: str, named: bool) -> None:
    answering = httpx.MockTransport(lambda _: httpx.Response(405, json={}))
    session = Session(target_of(base_url, tuple(user.token for user in USERS)), transport=answering, clock=Waits())

    if profile == "public":
        session.credentials.clear()

    problems = examine(session, needs_token=profile == "full").problems

    assert any("plain http" in problem.message for problem in problems) is named


@pytest.mark.parametrize(
    ("base_url", "addresses", "target", "named"),
    [
        ("https://service.example/api", ["198.51.100.7", "8.8.8.8"], {}, True),
        ("https://service.example/api", ["8.8.8.8"], {"account_is_for_testing": True}, False),
        ("https://service.example/api", ["10.1.2.3", "2606:4700::1111"], {}, True),
        ("https://service.example/api", [], {}, True),
        ("http://localhost/api", [], {}, False),
    ],
)
def test_an_account_elsewhere_that_may_be_a_persons_needs_a_confirmation(
    base_url: str, addresses: list[str], target: dict[str, Any], named: bool
) -> None:
    settings = config(path_prefix="/api")
    known = target_of(base_url, settings.tokens, **target)
    with closing(in_process.session_over(build_app(settings), known, seed=1, in_turn=True)) as session:
        session.peers.addresses = tuple(addresses)
        found = examine(session, needs_token=True)

    assert (found.fatal is not None and "may be a person's" in found.fatal.message) is named
