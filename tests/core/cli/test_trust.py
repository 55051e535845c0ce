"""A configuration file that is only found in the working directory: what it may decide, and how it is trusted.

direnv and mise load a file of a folder for the same reason only after their user has allowed its content.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import click
import pytest
from cli_services import TOKEN, Command, report_of, served
from platforms import POSIX_COMMANDS, POSIX_MODES, SYMBOLIC_LINKS

from conformance.cli import config
from conformance.cli.check import command as check_command
from conformance.cli.init import example
from conformance.cli.option import FILE, allowed
from conformance.model.printable import printable

FOUND = Path("drsi-conformance.toml")
WAIVERS = Path("drsi-conformance-waivers.toml")
HERE = "http://127.0.0.1:1/api"
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "options.md"

HARMLESS = {
    *("login", "timeout", "rate", "concurrency", "wait", "repeat", "thorough", "format", "quiet"),
    *("max-created", "max-requests", "max-time"),
}
"""What a file that is only found may set: it makes a run slower, longer, shorter or quieter, and none succeed.

An option that names an address, a file or a command, that says what counts, that confirms something, or that makes a
run predictable does not belong here.
"""
CHANGING = {
    *("token-file", "other-token-file", "expired-token-file", "foreign-token-file", "client-cert", "client-key"),
    *("pseudonym-key", "specification", "output"),
}
"""The keys of files that may change at any time: secrets, what a run writes, and what is quoted in one edition only."""
EXAMPLES = {key: example(option) for key, option in config.keys().items()}
WAIVER = '[[waiver]]\nrequirement = "4.3-answers-ok"\nreason = "r"\nowner = "o"\nexpires = 9999-12-31\n'

pytestmark = pytest.mark.usefixtures("tokens")


def test_each_option_that_a_found_file_may_set_was_decided() -> None:
    """A new option is refused in such a file, until somebody adds it here and says that it is harmless."""
    harmless = {name.replace("_", "-") for name in allowed(check_command, FILE)}
    assert harmless == HARMLESS
    assert [key for key in harmless if isinstance(config.keys()[key].type, click.Path)] == []
    (line,) = [line for line in DOCUMENTATION.read_text("utf-8").splitlines() if line.startswith("- Harmless: ")]
    assert {each.strip("`") for each in line.removeprefix("- Harmless: ").rstrip(".").split(", ")} == HARMLESS


def test_each_file_that_a_configuration_names_was_decided() -> None:
    """A new one is trusted with the configuration, or may change without a word."""
    paths = {key for key, option in config.keys().items() if isinstance(option.type, click.Path)}
    assert paths == config.COUNTED | CHANGING


@pytest.mark.parametrize("key", sorted(EXAMPLES.keys() - HARMLESS))
def test_a_found_file_decides_nothing_that_matters(key: str) -> None:
    Path("known.toml").write_text(f"{key} = {EXAMPLES[key]}\n", "utf-8")
    FOUND.write_text(f"rate = 5\n{key} = {EXAMPLES[key]}\n", "utf-8")

    with pytest.raises(click.ClickException) as refused, check_command.make_context("check", [HERE]):
        pass
    assert f"{FOUND} sets {key}, but it was only found in this folder." in refused.value.message
    with click.Context(check_command) as context:  # named, it counts
        config.load(context, check_command.params[0], Path("known.toml"))
        assert context.default_map


COMMANDS = ["check", f"check {HERE}", f"check {HERE} --plan", f"doctor {HERE}", f"login {HERE}", f"logout {HERE}"]


@pytest.mark.parametrize("line", [*COMMANDS, f"witness run {HERE}", f"cleanup run {HERE}"])
@POSIX_COMMANDS
@pytest.mark.usefixtures("run")
def test_no_command_executes_what_a_found_file_says(command: Command, folder: Path, line: str) -> None:
    """As a pull request from a fork, or a folder that somebody sent, brings it."""
    marks = [f"{key} = {f'touch {folder / key}'!r}" for key in ("token-command", "reset-command", "complete-command")]
    with served() as service:
        FOUND.write_text("\n".join([f'base-url = "{service.base_url}"', *marks]), "utf-8")
        result = command(*line.split())

    assert result.code == 2, result.out + result.err
    assert "sets base-url, token-command, reset-command, complete-command, but" in result.err
    assert "--config drsi-conformance.toml" in result.err
    assert "drsi-conformance trust" in result.err
    assert (sorted(folder.glob("*-command")), service.calls) == ([], [])


def test_trust_is_for_a_content_at_a_place(command: Command, folder: Path) -> None:
    FOUND.write_text('label = "assessor=A"\nprofile = "public"\n', "utf-8")
    with served() as service:
        doctor = ("doctor", service.base_url)
        assert command(*doctor).code == 2
        trusted = command("trust")
        assert (trusted.code, trusted.err) == (0, "")
        assert 'label = ["assessor=A"]' in trusted.out
        assert command(*doctor).code == 0

        with FOUND.open("a", encoding="utf-8") as file:
            file.write("# \n")
        changed = command(*doctor)
        assert (changed.code, "has changed since it was trusted" in changed.err) == (2, True)
        assert command("trust").code == 0
        assert command(*doctor).code == 0

        content = FOUND.read_bytes()
        for name in ("copied", "below"):
            (folder / name).mkdir()
        os.chdir("below")  # a file of a folder above does not count
        assert command(*doctor).err == ""
        os.chdir("../copied")
        FOUND.write_bytes(content)
        assert command(*doctor).code == 2
        os.chdir("..")

        assert command("trust", "--revoke").code == 0
        assert command(*doctor).code == 2


@SYMBOLIC_LINKS
def test_a_link_is_not_trusted(command: Command) -> None:
    """What it leads to may be trusted where it is: paths and commands in it would mean others here."""
    FOUND.write_text('profile = "public"\n', "utf-8")
    assert command("trust").code == 0
    Path("here").mkdir()
    os.chdir("here")
    FOUND.symlink_to(Path("..") / FOUND)
    refused = command("doctor", HERE)
    assert (refused.code, "is a symbolic link, which is never trusted" in refused.err) == (2, True)
    assert (command("trust").code, command("doctor", HERE).code) == (2, 2)
    os.chdir("..")
    FOUND.rename("moved.toml")
    FOUND.symlink_to("moved.toml")
    assert command("doctor", HERE).code == 2


@POSIX_MODES
def test_what_is_trusted_is_noted_for_this_user_alone(command: Command) -> None:
    FOUND.write_text('profile = "public"\n', "utf-8")
    assert command("trust").code == 0
    place = Path(os.environ["XDG_STATE_HOME"]) / "drsi-conformance" / "trusted"
    (note,) = place.glob("*.json")
    assert (note.stat().st_mode & 0o777, place.stat().st_mode & 0o777) == (0o600, 0o700)

    note.chmod(0o666)  # others may have written it
    assert command("doctor", HERE).code == 2


def test_files_that_a_trusted_file_names_are_trusted_with_it(command: Command) -> None:
    """A person who may change only the waivers would otherwise decide the outcome."""
    Path("known.toml").write_text(WAIVER, "utf-8")
    Path("gate\u202eway").write_text("X-Api-Key: 12345678\n", "utf-8")
    Path("script.py").write_text(f"print({TOKEN!r})\n", "utf-8")
    text = f"waivers = 'known.toml'\nheader = '@gate\u202eway'\ntoken-command = '{sys.executable} script.py'\n"
    FOUND.write_text(text, "utf-8")
    trusted = command("trust")
    named = "drsi-conformance.toml, gate\\u202eway, known.toml, script.py"
    assert trusted.out.startswith(f"Trusted, as it is now: {named}\n")
    with served() as service:
        assert command("doctor", service.base_url).code == 0
        for name in ("known.toml", "gate\u202eway", "script.py"):
            with Path(name).open("a", encoding="utf-8") as file:
                file.write("# \n")
            refused = command("doctor", service.base_url)
            assert refused.code == 2
            assert f"{printable(name)} has changed since it was trusted" in refused.err
            assert command("trust").code == 0


@POSIX_COMMANDS
@pytest.mark.parametrize("words", ["{here}/print-token", "sh -c 'exec ./print-token'", "sh -c 'cat ./print-token|sh'"])
def test_a_program_of_the_project_is_trusted_however_it_is_named(command: Command, folder: Path, words: str) -> None:
    """The program may be changed by a pull request, and the configuration file not."""
    Path("print-token").write_text(f"#!/bin/sh\necho {TOKEN}\n", "utf-8")
    FOUND.write_text(f'token-command = "{words.format(here=folder)}"\n', "utf-8")
    assert "print-token" in command("trust").out.splitlines()[0]
    Path("print-token").write_text("#!/bin/sh\ntouch executed\n", "utf-8")
    refused = command("doctor", HERE)
    assert (refused.code, "print-token has changed since it was trusted" in refused.err) == (2, True)


@POSIX_COMMANDS
@pytest.mark.parametrize("name", [FOUND, WAIVERS])
def test_a_found_file_without_an_end_or_of_any_size_is_not_read(command: Command, name: Path) -> None:
    """An archive can hold a pipe without a writer, and a link to a device."""
    for target in (None, Path("/dev/zero")):
        os.mkfifo(name) if target is None else name.symlink_to(target)
        refused = command("check", HERE, "--profile", "public")
        assert (refused.code, f"{name} is no file with an end" in refused.err) == (2, True)
        assert command("trust").code == 2
        name.unlink()
    name.touch()
    os.truncate(name, 1 << 40)
    assert "has more than" in command("check", HERE, "--profile", "public").err


def test_waivers_that_are_only_found_accept_no_failure(command: Command) -> None:
    WAIVERS.write_text(WAIVER, "utf-8")
    with served() as service:
        words = ("check", service.base_url, "--quiet", "--output", "out")
        refused = command(*words)
        assert (refused.code, "--waivers drsi-conformance-waivers.toml" in refused.err) == (2, True)
        assert not Path("out").exists()
        narrow = (*words, "--stale-waivers", "warn")
        assert command(*narrow, "--waivers", str(WAIVERS), only=("4.3-answers-ok",)).code == 0
        assert command("trust").code == 0
        assert command(*narrow, only=("4.3-answers-ok",)).code == 0
    assert len(report_of(Path("out"))["waivers"]) == 1


class Terminal(io.StringIO):
    """What a person types, or what is shown to one."""

    def isatty(self) -> bool:
        return True


def test_a_person_at_a_terminal_is_asked_once(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)

    def answered(text: str) -> tuple[int, str]:
        """Return the exit code of the doctor and what was shown, where somebody types `text`."""
        shown = Terminal()
        monkeypatch.setattr(sys, "stdin", Terminal(text))
        monkeypatch.setattr(sys, "stderr", shown)
        return command("doctor").code, shown.getvalue()

    with served() as service:
        base_url = f'base-url = "{service.base_url}"'
        FOUND.write_text(f'{base_url}\nauthority = "A\x9b\u202eB"\nheader = "X-Key: {TOKEN}"\n', "utf-8")
        for text in ("n\n", "\n", ""):
            code, shown = answered(text)
            assert (code, "sets base-url, authority, header, but" in shown) == (2, True)
        code, shown = answered("y\n")
        assert (code, base_url in shown) == (0, True)
        assert ("\x9b" in shown, "\u202e" in shown, TOKEN in shown) == (False, False, False)
        code, shown = answered("")
        assert (code, "[y/N]" in shown) == (0, False)
