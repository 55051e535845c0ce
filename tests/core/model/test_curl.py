from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import replace
from urllib.parse import unquote

import pytest
from hand_made import OTHER_TOKEN, TOKEN
from notation import BASE, call_in
from platforms import POSIX_COMMANDS
from whole_runs import config, session_over

from conformance.model.curl import curl, variable_of
from conformance.model.error_table import MADE_UP
from conformance.model.exchange import Exchange
from conformance.model.further_headers import mark_of
from conformance.model.identity import Identity
from conformance.reference.config import User
from conformance.scenarios.api import Api
from conformance.scenarios.credentials import altered_tokens_of_another, doubtful_forms, no_tokens

pytestmark = POSIX_COMMANDS

HOSTILE = "a'b\"c$HOME`id`\\ \n;&|<>(){}[]*?~#! é"


FIELDS = (
    ("Host", "service.test"),
    ("Accept", "application/json"),
    ("Content-Type", "application/json"),
    ("Accept-Language", HOSTILE.replace("\n", " ")),
    ("Authorization", f"Bearer {TOKEN}"),
)


def asked(*headers: tuple[str, str], credential: str = "user", body: bytes = HOSTILE.encode()) -> Exchange:
    """Return a creation with other fields than the usual ones, if any are given."""
    creation = call_in(f'"{credential}" POST -> 200 r1')
    creation.request = replace(creation.request, headers=headers or FIELDS, body=body)
    return creation


def words(line: str, **environment: str) -> list[str]:
    """Return the arguments that a shell makes of a line."""
    script = f"curl() {{ printf '%s\\0' \"$@\"; }}\n{line}"
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, check=True, env={"PATH": os.environ["PATH"], **environment}
    )
    assert done.stderr == b""
    return done.stdout.decode().split("\0")[:-1]


def test_a_line_for_the_shell_asks_the_same() -> None:
    given = words(curl(asked()), DRSI_TOKEN="t-o-k-e-n")

    assert given[given.index("--data-binary") + 1] == HOSTILE
    assert f"Accept-Language: {HOSTILE.replace(chr(10), ' ')}" in given
    assert "Authorization: Bearer t-o-k-e-n" in given
    assert given[given.index("-X") + 1] == "POST"
    assert given[-1] == f"{BASE}/requests"


@pytest.mark.parametrize(
    "shown",
    [
        asked(),
        asked(body=b"\xff\xfe not text"),
        asked(("Authorization", "Bearer $(id) '"), credential="a made-up token"),
        asked(("Host", "service.test"), credential="no token"),
        call_in("DELETE %27%22%24%28id%29 -> 200"),
    ],
)
def test_a_line_is_safe_in_a_shell(shown: Exchange) -> None:
    line = curl(shown)

    assert shlex.split(line)[0] == "curl"
    assert subprocess.run(["sh", "-n", "-c", line], capture_output=True, check=False).returncode == 0


def test_a_line_never_holds_a_token() -> None:
    line = curl(asked(("authorization", f"Bearer {TOKEN}"), credential="an expired token"))

    assert TOKEN not in line
    assert '"Authorization: Bearer $DRSI_EXPIRED_TOKEN"' in line


@pytest.mark.parametrize("token", ["Alice-0123456789abcdefghij==", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"])
def test_a_line_makes_each_wrong_credential_as_the_run_did(token: str) -> None:
    users = (User("alice.example", token), User("bob.example", OTHER_TOKEN))
    with session_over(config(users=users)) as session:
        service = Api(session)
        callers = [*no_tokens(service), *altered_tokens_of_another(service), *doubtful_forms(service)]
        made = {each.label: _sent(service, each) for each in callers}
        clean = session.secrets.text

    tokens = {"DRSI_TOKEN": token, "DRSI_OTHER_TOKEN": OTHER_TOKEN}
    for label, call in made.items():
        line, sent = clean(curl(call)), [each for name, each in call.request.headers if name == "Authorization"]
        assert token not in line
        assert not re.search(r"\[(a |the |DRSI)", line)  # no part of it stands for another text
        if not line:
            assert label.startswith(("a token ", "the token of the other user"))  # which only a script can change
            continue
        said = words(line, **tokens)
        given = [each.removeprefix("Authorization: ") for each in said if each.startswith("Authorization: ")]
        sent = [each.encode("latin-1").decode() for each in sent]
        assert given == sent, label
        assert label in MADE_UP or any(name in line for name in tokens), label
        assert said[-1] == unquote(call.request.url)


def _sent(service: Api, caller: Identity) -> Exchange:
    send = service.session.send
    return send("GET", "/data/me", query=caller.query, credential=caller.label, authorization=caller.authorization)


@pytest.mark.parametrize(("name", "given"), [("X`touch$IFS-a`!$HOME",) * 2, ("X'", "X'"), ("x-key", "X-Key")])
def test_the_name_of_a_further_field_is_no_command(name: str, given: str) -> None:
    line = curl(asked((name, f"[{mark_of(given)}]")))

    assert f"{name}: k3y" in words(line, **{variable_of(name): "k3y"})
