from __future__ import annotations

import os
import shlex
import subprocess
from typing import Any

import pytest
from assembled import assembled, broken, read
from hand_made import BASE, ONE, OTHER_TOKEN, TOKEN, deletion, exchange
from platforms import POSIX_COMMANDS

from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import curl

pytestmark = POSIX_COMMANDS

HOSTILE = "a'b\"c$HOME`id`\\ \n;&|<>(){}[]*?~#! é"


def asked(**more: Any) -> Exchange:
    how = {
        "asked": (
            ("Host", "service.test"),
            ("Accept", "application/json"),
            ("Content-Type", "application/json"),
            ("Accept-Language", HOSTILE.replace("\n", " ")),
            ("Authorization", f"Bearer {TOKEN}"),
        ),
        "sent": HOSTILE.encode(),
        **more,
    }
    return exchange(Operation.CREATE, 200, b"", **how)


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
        asked(sent=b"\xff\xfe not text"),
        asked(credential="other user"),
        asked(credential="a made-up token", asked=(("Authorization", "Bearer $(id) '"),)),
        asked(credential="no token", asked=()),
        deletion(request_id="%27%22%24%28id%29"),
        read(200, 1),
    ],
)
def test_a_line_is_safe_in_a_shell(shown: Exchange) -> None:
    line = curl(shown)

    assert shlex.split(line)[0] == "curl"
    assert subprocess.run(["sh", "-n", "-c", line], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("credential", "variable"),
    [
        ("user", "$DRSI_TOKEN"),
        ("other user", "$DRSI_OTHER_TOKEN"),
        ("an expired token", "$DRSI_EXPIRED_TOKEN"),
        ("a token of another service", "$DRSI_FOREIGN_TOKEN"),
    ],
)
def test_a_line_never_holds_a_token(credential: str, variable: str) -> None:
    token = TOKEN if credential == "user" else OTHER_TOKEN
    line = curl(asked(credential=credential, asked=(("authorization", f"Bearer {token}"),)))

    assert token not in line
    assert f'"Authorization: Bearer {variable}"' in line


def test_a_line_without_a_token_has_no_header_for_one() -> None:
    assert "uthorization" not in curl(read(404, 1, credential="no token"))


def test_a_finding_has_the_line_of_the_exchange_that_shows_it_first() -> None:
    (found,) = assembled([broken("4.3-answers-ok", deletion(500, b""))])["4.3-answers-ok"].findings

    assert words(found.curl) == ["-i", "-X", "DELETE", f"{BASE}/requests/{ONE}"]
