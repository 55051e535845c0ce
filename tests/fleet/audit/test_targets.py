"""The file of the targets: what it may say, what docs/audit.md says of it, and where each mistake is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.cli.check import command as check
from conformance.cli.option import AUDIT, allowed
from conformance.fleet.audit import sources
from conformance.fleet.audit.sources import TOKENS, Source, environment_of, missing
from conformance.fleet.audit.targets import PUBLISHED, AuditTarget, read
from conformance.model.errors import ConfigurationFault


def targets(folder: Path, text: str, name: str = "targets.toml") -> list[AuditTarget]:
    path = folder / name
    path.write_text(text, "utf-8")
    return read(path)


def mistakes(folder: Path, text: str, name: str = "targets.toml") -> str:
    with pytest.raises(ConfigurationFault) as raised:
        targets(folder, text, name)
    return str(raised.value)


WHOLE = """
[[target]]
name = "city-a"
base_url = "https://A.example:8443/api/"
profile = "public"

[[target]]
name = "city-b"
base-url = "https://b.example/api"
token = "variable:TOKEN_OF_B"
other_token = "file:secrets/other"
labels = { case = "4711" }
authority = "Order 12/2026"
only = ["4.3", "2.3"]
empty-account = true
max_time = 120
"""


def test_a_toml_file(tmp_path: Path) -> None:
    one, two = targets(tmp_path, WHOLE)
    assert (one.name, one.base_url, one.profile, one.line) == ("city-a", "https://A.example:8443/api", "public", 2)
    assert one.origin == "https://a.example:8443"
    assert two.origin == "https://b.example:443"
    assert two.tokens == {
        "token": Source("variable", "TOKEN_OF_B"),
        "other_token": Source("file", str(tmp_path / "secrets/other")),
    }
    assert (two.labels, two.authority) == ({"case": "4711"}, "Order 12/2026")
    assert two.arguments == ("--only=4.3", "--only=2.3", "--empty-account", "--max-time=120")


def test_the_same_as_csv(tmp_path: Path) -> None:
    text = """name,base-url,token,other_token,labels,authority,only,empty-account,max_time,profile
city-a,https://A.example:8443/api/,,,,,,,,public
city-b,https://b.example/api,variable:TOKEN_OF_B,file:secrets/other,case=4711,Order 12/2026,"4.3,2.3",true,120,
"""
    one, two = targets(tmp_path, text, "targets.csv")
    assert one == AuditTarget(name="city-a", base_url="https://A.example:8443/api", profile="public", line=2)
    assert two.labels == {"case": "4711"}
    assert two.arguments == ("--only=4.3,2.3", "--empty-account", "--max-time=120")
    spreadsheet = targets(tmp_path, "\ufeff" + text.replace('"4.3,2.3"', "4.3").replace(",", ";"), "targets.csv")
    assert [each.name for each in spreadsheet] == ["city-a", "city-b"]


def test_the_mistakes_of_all_targets_are_named_at_once(tmp_path: Path) -> None:
    said = mistakes(tmp_path, f"{HEAD}{HEAD.replace(chr(39) + 'a', chr(39) + 'A')}[[target]]\nname = '../x'\n")
    assert re.findall(r"targets.toml, line (\d):", said) == ["4", "7"]
    assert "the name 'A' is already that of the target in line 1" in said


def test_a_run_gets_its_own_tokens_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_A", "a-secret")
    monkeypatch.setenv("TOKEN_OF_B", "b-secret")
    monkeypatch.setenv("DRSI_OTHER_TOKEN", "of the shell")
    tokens = {"token": Source("variable", "TOKEN_OF_A"), "expired_token": Source("file", "/x")}
    environment = environment_of(tokens, frozenset({"TOKEN_OF_A", "TOKEN_OF_B"}))
    assert environment["DRSI_TOKEN"] == "a-secret"
    assert {"DRSI_OTHER_TOKEN", "TOKEN_OF_A", "TOKEN_OF_B"}.isdisjoint(environment)
    assert sources.arguments_of(tokens) == ["--expired-token-file=/x", "--no-login"]
    assert sources.arguments_of({"token": Source("login")}) == ["--login"]
    assert missing({"token": Source("variable", "UNSET"), "other_token": Source("variable", "TOKEN_OF_A")}) == ["UNSET"]


def test_a_file_names_files_and_no_secrets(tmp_path: Path) -> None:
    head = '[[target]]\nname = "a"\nbase_url = "https://a.example"\nprofile = "public"\n'
    (tmp_path / "keys").write_text("X-Api-Key: a-secret\n", "utf-8")
    (named,) = targets(tmp_path, f'{head}header = "@keys"\nproxy = "http://p:1"\nclient_cert = "c.pem"')

    keys, certificate = tmp_path / "keys", tmp_path / "c.pem"
    assert named.arguments == (f"--header=@{keys}", "--proxy=http://p:1", f"--client-cert={certificate}")
    for line in ('header = "X-Api-Key: a-secret"', 'proxy = "http://bob:a-secret@p:1"'):
        found = mistakes(tmp_path, f"{head}{line}")
        assert "line 1: " in found
        assert "a-secret" not in found


HEAD = "[[target]]\nname = 'a'\nbase_url = 'https://a.example'\n"
OTHER = HEAD.replace("'a'", "'b'")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("toml", f"{HEAD}# a comment\nprofle = 'public'", "line 1: profle: a target has nothing of this name. Did you"),
        ("toml", f"{HEAD}token = 'ey.secret.value'", "line 1: token: expected the source of a token (variable:NAME, "),
        ("toml", f"{HEAD}empty_account = 'yes'", "line 1: empty_account: empty_account must be true or false"),
        ("toml", f"{HEAD}output = 'x'", "line 1: output: a target has nothing of this name"),
        ("toml", f"{HEAD}leave = true\nrepeat = 2", "line 1: leave and repeat exclude each other"),
        (
            "toml",
            f"{HEAD}token = 'login'\nleave = true\n{OTHER}token = 'login'\nempty_account = true",
            "line 6: empty_account: the target in line 1 leaves a data request in this account",
        ),
        ("toml", f"{HEAD}publish_consent = 'a'\npublish_authority = 'b'", "publish_consent and publish_auth"),
        ("csv", "name,profile\na,full\n", "line 1: there is no column 'base_url'"),
        ("csv", 'name,base_url\n"a,b\n', "this is not CSV"),
        ("csv", "name,base_url,name\n", "line 1: the column 'name' is there twice"),
        ("csv", "name,base_url\na,https://a.example\nb\n", "line 3: expected 2 cells, as in the head, received 1"),
        ("csv", 'name,base_url\n"a\nb",https://a.example\nc,x\n', "line 4: base_url: 'x' has no scheme"),
    ],
)
def test_a_mistake_has_its_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    said = mistakes(tmp_path, text, f"targets.{name}")
    assert message in said
    assert "ey.secret.value" not in said


def test_the_documentation_has_each_key_and_examples_that_are_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs/audit.md").read_text("utf-8")
    for name in ("toml", "csv"):
        example = page.partition(f"```{name}\n")[2].partition("```")[0]
        assert len(targets(tmp_path, example, f"targets.{name}")) == 2

    table = page.partition("| key | meaning |")[2].partition("\n\n")[0]
    named = {key for row in re.findall(r"^\|(.*?)\|", table, re.MULTILINE) for key in re.findall(r"`([a-z_]+)`", row)}
    others = {"name", "base_url", "profile", "labels", "authority"}
    assert named == {*others, *TOKENS, *PUBLISHED, *allowed(check, AUDIT)}
