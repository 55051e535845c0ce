"""A refused use of each command and option: one message that says what to do, the exit code 2, and nothing done."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cli_services import Command, is_one_message, names_in, refusing

from conformance.cli import command_group
from conformance.cli.check import command as check_command

FAULT = "settings-terms-of-service-absent"


@pytest.fixture(autouse=True)
def nothing_is_written(folder: Path) -> Iterator[None]:
    """Fail if a command that is refused leaves a file."""
    given = {"given.toml": "", "w.toml": "", "short": "short\n", "empty": "", "words": "a b", "keys": ""}
    given["twice"] = "X-Api-Key: topsecret\nx-api-key: topsecret\n"
    given |= {"hello.md": "Hello.", "key": "no key", "none.har": '{"log": {}}'}
    for name, text in given.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "binary").write_bytes(b"\xff\x00")
    before = names_in(folder)
    yield
    assert names_in(folder) == before


REFUSED = {
    "bogus": "No such command 'bogus'",
    "explain 4.3-answer-ok": "Did you mean 4.3-answers-ok",
    "explain 4.3-answers-ok --specification absent.md": "absent.md cannot be read: No such file",
    "explain 4.3-answers-ok --specification binary": "received a byte that is not UTF-8 at offset 0.",
    "requirements --clause 4.3-answer-ok": "Did you mean 4.3-answers-ok",
    "requirements --output x.html": "--specification FILE and --output FILE belong together",
    "openapi --output nowhere/api.json": "nowhere/api.json cannot be written",
    # ------------------------------------------------------------------ serve
    f"serve --fault {FAULT}s": f"Did you mean {FAULT}",
    "serve --twin bogus": "No twin is called 'bogus'. 'serve --list-twins' lists all names.",
    "serve --list-faults createdAtt": "No fault matches 'createdAtt'. 'serve --list-faults' without FILTER lists all.",
    f"serve --fault {FAULT} --twin served-at-the-root": "exclude each other",
    "serve --like nowhere": "Name the folder that 'drsi-conformance check' wrote",
    "serve --app service:app --limit 3": "--limit is an option of the reference service",
    "serve --language-selector cookie:x": "language_selector must be header:NAME or query:NAME, not 'cookie:x'",
    "serve --host 256.256.256.256": "Choose another --port",
    "selftest --only no-such": "No fault, twin or requirement with faults is called 'no-such'.",
    "selftest --command true --pairs": "--command and --pairs exclude each other.",
    "selftest --quiet --command false": "ended with exit code 1 against the reference service",
    "selftest --quiet --command no-such-program": "cannot be started: No such file",
    "selftest --quiet --command ''": "The command is empty",
    # ------------------------------------------------------------------ the address
    "check ftp://service.example/api": "scheme ftp",
    "check service.example/api": "no scheme",
    "check http://": "no host",
    "check http://user:secret@service.example": "user name or password",
    "check https://service.example/api?x=1": "query",
    "check http://service.example:port": "no base_url",
    "check http://\u2603.example/api": "IDNA refuses its name",
    "init no-address": "no scheme",
    "check --leave": "--leave needs a BASE_URL",
    "check HERE --leave --profile public": "Leave it out with --profile public",
    "check HERE --leave --repeat 2": "--leave and --repeat exclude each other",
    "check HERE --resume first --reset-command true": "--resume and --reset-command exclude each other",
    "check HERE --app service:app": "BASE_URL and --app exclude each other",
    "check --app service": "Expected MODULE:NAME",
    "check --app service:app --app-host a@b": "Expected the name of a host",
    "check --token abcdefgh": "there is no BASE_URL",
    "check HERE --watch nowhere": "'--watch': Path 'nowhere' does not exist",
    "check --last-failed": "--last-failed needs the BASE_URL",
    "witness run HERE": "run cannot be read as the result of a run",
    # ------------------------------------------------------------------ what is tested
    "check --select 4.3 --deselect 4": "leaves nothing to check",
    "check --select 4.3 --profile public": "--profile full",
    "check --select 4.33": "Did you mean 4.3?",
    "check --fail-on 4.3-answers-ok": "'4.3-answers-ok' is not one of 'alerts'",
    "check --set 2024-1": "No set of requirements is called '2024-1'",
    "check HERE --anonymous --nonce abc": "--anonymous and --nonce exclude each other",
    "check --plan --har given.toml --profile public": "given.toml exists",
    "check --specification hello.md": "without numbered clauses",
    # ------------------------------------------------------------------ values
    "judge binary --base-url here": "'--base-url': 'here' has no scheme",
    "check --app absent:app": "absent:app cannot be loaded. No module named 'absent' fix",
    "check HERE --rate nan": "'--rate': 'nan' is not a number",
    "check HERE --seed x": "'--seed': 'x' is not a valid integer",
    "check HERE --format pdf": "'--format': 'pdf' is no format. Formats: json, har, html",
    "check --format specification": "render RUN --format specification --specification FILE",
    "check HERE --language-selector cookie:lang": "'--language-selector': Expected a language selector",
    "check HERE --language-selector header:Authorization": "the suite sets it by itself",
    "check HERE --complete-command complete.sh": "{requestId}",
    "check HERE --ca-file nowhere.pem": "--ca-file: nowhere.pem: No such file",
    "check HERE --ca-file key": "--ca-file: key: contains no certificate in PEM form",
    "check HERE --client-key key.pem": "Add --client-cert",
    "check HERE --pseudonym-key key --token abcdefgh": "key contains no key. Expected 64 hexadecimal digits.",
    "check HERE --help-base javascript:alert(1)": "expected the address of a site, such as",
    "check HERE --baseline nowhere": "nowhere cannot be read as the result of a run",
    "check HERE --waivers nowhere.toml": "nowhere.toml cannot be read: No such file",
    "check HERE --label case": "'case' is no label. Expected KEY=VALUE",
    "check HERE --output given.toml/below": "given.toml/below cannot be written",
    "check --config nowhere.toml": "nowhere.toml cannot be read",
    # ------------------------------------------------------------------ tokens
    "check HERE --token 'two words'": "--token: ",
    "check HERE --token-file nowhere": "--token-file: nowhere cannot be read",
    "check HERE --token-file empty": "--token-file: The token is empty. Expected: an access token for the service.",
    "check HERE --other-token-file binary": "--other-token-file: binary is not UTF-8 text",
    "check HERE --token abcdefgh --token-file words": "--token and --token-file. Remove one of them.",
    "check HERE --token-command no-such-program": "--token-command: the command could not be started: No such file",
    "check HERE --token abcdefgh --other-token-command no-such-program": "--other-token-command: the command could",
    "check HERE --token-file short": "--token-file cannot be removed from the record of a run",
    "doctor HERE --token requestId": "--token cannot be removed from the record of a run",
    # ------------------------------------------------------------------ header fields
    "doctor HERE --header 'Authorization: Basic topsecret'": "the base64 of NAME:PASSWORD",
    "doctor HERE --header 'Authorization: Bearer topsecret'": "the interface expects the access token",
    "doctor HERE --header 'Host: topsecret'": "the suite sets",
    "doctor HERE --header 'Proxy-Authorization: topsecret'": "--proxy",
    "doctor HERE --header 'X-Api-Key: topsecret\r\nHost: b'": "visible ASCII",
    "doctor HERE --header @none": "none cannot be read",
    "doctor HERE --header @twice": "twice, line 2: x-api-key is given twice",
    # ------------------------------------------------------------------ recorded runs
    "render .": "report.json cannot be read as the result of a run: No such file",
    "compare given.toml given.toml": "given.toml cannot be read as the result of a run: it is not JSON",
    "profile given.toml": "given.toml cannot be read as the result of a run: it is not JSON",
    "profile a b --json --output page.html": "Give one of them.",
    "waive nowhere": "Name the folder that 'drsi-conformance check' wrote",
    "reproduce nowhere": "No such file",
    "verify nowhere": "cannot be read as the result of a run",
    "cleanup nowhere": "No such file",
    "cleanup short": "line 1 is not one that a run writes there",
    "judge nowhere": "nowhere cannot be read: No such file",
    "judge words": "Expected JSON",
    "judge none.har": "Expected log.entries",
    "trust": "This folder has neither drsi-conformance.toml nor",
}


RANGES = [
    (name, option, option.type)
    for name in ("check", "serve", "selftest")
    for option in command_group().get_command(click.Context(command_group()), name).params  # type: ignore[union-attr]
    if isinstance(option.type, (click.IntRange, click.FloatRange))
]


def test_a_number_out_of_its_range_is_one_message(command: Command) -> None:
    for name, option, numbers in RANGES:
        too_small = float(numbers.min or 0) - 1
        number = int(too_small) if isinstance(numbers, click.IntRange) else too_small
        is_one_message(command(name, f"{option.opts[0]}={number}"), f"'{option.opts[0]}': {number} is not in the range")
    assert {option.name for _, option, _ in RANGES} >= {"rate", "jobs", "port"}


@pytest.mark.parametrize("line", REFUSED)
def test_a_refused_use_is_one_message(command: Command, line: str) -> None:
    result = command(*shlex.split(line.replace("HERE", refusing())))

    is_one_message(result, REFUSED[line].replace("HERE", refusing()))
    assert "topsecret" not in result.err


def test_each_command_of_the_core_has_a_refused_use() -> None:
    optional = {"attest", "reply", "bundle", "audit", "login", "logout", "store", "site"}
    assert command_group().commands.keys() - {line.split()[0] for line in REFUSED} == optional


def test_each_option_of_check_has_a_refused_use_or_refuses_nothing() -> None:
    takes_anything = {"authority", "nonce", "reset-command", "cleanup-first", "output"}
    flags = {each.name for each in check_command.params if getattr(each, "is_flag", False)}
    tried = {word[2:] for line in REFUSED for word in line.split() if word.startswith("--")}
    tried |= {option.opts[0][2:] for _, option, _ in RANGES}
    named = {str(each.name).replace("_", "-") for each in check_command.params if each.name not in flags}

    assert named - tried - takes_anything - {"base-url"} == UNTRIED


UNTRIED = {
    *("other-token", "foreign-token", "foreign-token-file", "expired-token", "expired-token-file"),
    *("client-cert", "proxy", "stale-waivers"),
}
"""They are refused by the same code as another option, or in a test of their own."""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("zzz = 3", "Keys: base-url"),
        ('token = "abc"', "does not belong in a configuration file"),
        ("max-created = 3\nmax_created = 4", "twice"),
        ('other_token = "abc"', "DRSI_OTHER_TOKEN"),
        ('rate = "fast"', "rate must be a number, not 'fast'"),
        ("rate = 0", "given.toml: rate: 0.0 is not in the range 0.01<=x<=1000000"),
        ("fail-on = true", "fail-on must be a string or an array of strings, not true"),
        ('strict = "yes"', "strict must be true or false"),
        ('header = "topsecret"', "Expected NAME: VALUE"),
        ('token-command = "a\\u0000b"', "token-command has a null character"),
        ('token-file = "x"\ntoken-command = "y"', "token-file in given.toml and token-command"),
        ("strict = true\nrate 5", "line 2"),
    ],
)
def test_a_malformed_configuration_is_one_message(command: Command, folder: Path, text: str, words: str) -> None:
    (folder / "given.toml").write_text(text)
    is_one_message(command("check", "--config", "given.toml"), words)


GOOD = {"requirement": '"2.3-supportedLanaguages"', "reason": '"r"', "owner": '"o"', "expires": "2999-01-01"}


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"requirement": '"4.3-answer-ok"'}, "Did you mean 4.3-answers-ok"),
        ({"requirement": '"4.3-trailing-line-feed"'}, "no run fails this requirement"),
        ({"reason": '" "'}, "fill in the reason why"),
        ({"owner": None}, "missing required field `owner`"),
        ({"expires": "2999-01-01T00:00:00Z"}, "Expected `date`, got `datetime` - at `$.expires`"),
        ({"finding": '"(a"'}, "finding is no regular expression"),
        ({"requirment": '"x"'}, "unknown field `requirment`"),
        ({"expires": "soon"}, "is not valid TOML"),
        ({"[waivers]\nx": "1"}, "found 'waivers'"),
    ],
)
def test_a_bad_waiver_is_one_message(command: Command, folder: Path, bad: dict[str, str | None], words: str) -> None:
    lines = [f"{key} = {value}" for key, value in {**GOOD, **bad}.items() if value is not None]
    (folder / "w.toml").write_text("\n".join(["[[waiver]]", *lines]), "utf-8")

    is_one_message(command("check", refusing(), "--waivers", "w.toml"), words)
