"""The checks in the user's own tests: `drsi_report`, `drsi_requirement`, and a subclass of `Requirements`."""

from __future__ import annotations

import itertools
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli_services import report_of
from plain_pytest import Run, outcomes
from platforms import POSIX_SIGNALS

from conformance.generation.sequences import Walk
from conformance.http import noise

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
SETTINGS = """
[pytest]
drsi_app = service:app
drsi_token = token-of-alice
drsi_other_token = token-of-bob
drsi_empty_account = true
drsi_language_selector = none
"""
EACH = "from conformance.pytest_plugin import Requirements\n\nclass TestInterface(Requirements):\n    {body}\n"
WHOLE = "def test_all(drsi_report):\n    assert drsi_report.outcome == 'conforms-in-part'\n"
WAIVER = """
[[waiver]]
requirement = "{id}"
reason = "The settings move"
owner = "A. Person"
expires = 2099-01-01
"""
NOWHERE = "http://127.0.0.1:9"
Write = Callable[..., None]

_NUMBERS = itertools.count()


@pytest.fixture
def write(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Write the tests and the settings of a user, and the example service on Flask, perhaps with a mistake."""
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    monkeypatch.setattr(noise, "LONGEST_PAUSE", 0.0)
    shutil.copy(EXAMPLES / "flask" / "service.py", folder)

    def writing(tests: str, *lines: str, settings: str = SETTINGS, mistake: bool = False) -> None:
        for old in folder.glob("test_*.py"):
            old.unlink()
        # This process keeps the modules that it has imported.
        (folder / f"test_interface_{next(_NUMBERS)}.py").write_text(tests, "utf-8")
        (folder / "pytest.ini").write_text(settings + "\n".join(lines), "utf-8")
        if mistake:
            service = folder / "service.py"
            right = "    return jsonify(SETTINGS)\n"
            text = service.read_text("utf-8")
            assert right in text
            service.write_text(text.replace(right, '    return jsonify(SETTINGS["none"])\n'), "utf-8")

    monkeypatch.delitem(sys.modules, "service", raising=False)
    yield writing
    sys.modules.pop("service", None)


def test_one_test_of_each_requirement_with_the_calls_that_the_selected_ones_need(
    plain_pytest: Run, write: Write, folder: Path
) -> None:
    write(EACH.format(body="pass"), "drsi_output = out")
    result = plain_pytest("-k", "2.3-legalEntity or 4.4-object", "--junitxml", "junit.xml")

    assert result.code == 0, result.out
    assert outcomes(folder / "junit.xml") == {
        f"test_requirement[{id}]": "passed" for id in ("2.3-legalEntity", "4.4-object")
    }
    report = report_of(folder / "out")
    assert (report["scope"]["only"], report["summary"]["created"]) == (["2.3-legalEntity", "4.4-object"], 0)
    assert 0 < report["summary"]["exchanges"] <= 25


def test_a_failure_shows_the_finding_and_the_exception_and_only_a_waiver_accepts_it(
    plain_pytest: Run, write: Write, folder: Path
) -> None:
    write(EACH.format(body="pass"), mistake=True)
    result = plain_pytest("-k", "4.4-answers-200 or the-run")

    assert result.code == pytest.ExitCode.TESTS_FAILED
    assert "1 failed, 1 passed" in result.out
    assert "4.4-answers-200 (must): " in result.out
    assert "  fix: " in result.out
    assert "  First, in another terminal: drsi-conformance serve --app service:app --port " in result.out
    assert "curl -i http://127.0.0.1:" in result.out
    assert 'return jsonify(SETTINGS["none"])' in result.out
    assert "KeyError: 'none'" in result.out
    assert "own_run.py" not in result.out

    write(EACH.format(body="pass"), "drsi_waivers = waivers.toml")
    (folder / "waivers.toml").write_text(WAIVER.format(id="4.4-answers-200"), "utf-8")
    waived = plain_pytest("-k", "4.4-answers-200", "-rx")
    assert waived.code == 0, waived.out
    assert "The settings move (A. Person, until 2099-01-01)" in waived.out

    write(EACH.format(body="def test_requirement(self, drsi_requirement): pass"))
    refused = plain_pytest()
    assert refused.code == pytest.ExitCode.INTERRUPTED
    assert "overrides test_requirement" in refused.out
    assert "drsi_waivers in pytest.ini" in refused.out


def test_an_application_of_a_fixture_has_one_report(plain_pytest: Run, write: Write, folder: Path) -> None:
    test = WHOLE + "\ndef test_again(drsi_report):\n    assert drsi_report.summary.left_behind == 0\n"
    write(test, settings=SETTINGS.replace("drsi_app = service:app", "drsi_max_requests = 20"), mistake=True)
    (folder / "conftest.py").write_text(
        "import pytest\nfrom service import app\n\n@pytest.fixture(scope='session')\ndef drsi_app():\n    return app\n"
    )
    result = plain_pytest()
    assert result.code == pytest.ExitCode.TESTS_FAILED
    assert "1 failed, 1 passed" in result.out
    assert "Data Request Service Interface" in result.out
    assert "KeyError: 'none'" in result.out
    assert "put its address in place of http://127.0.0.1:" in result.out


@pytest.mark.parametrize(
    ("settings", "code", "words"),
    [
        ("[pytest]\n", 1, "Set drsi_base_url or drsi_app in pytest.ini"),
        ("[pytest]\ndrsi_base_url = http://127.0.0.1:9\n", 1, "The checks cannot begin"),
        (f"{SETTINGS}drsi_waivers = none.toml\n", 4, "none.toml cannot be read"),
        (f"{SETTINGS}drsi_seed = many\n", 4, "'many' is not a valid"),
    ],
)
def test_a_run_that_cannot_begin_says_why(
    plain_pytest: Run, write: Write, settings: str, code: int, words: str
) -> None:
    write(WHOLE if code == pytest.ExitCode.TESTS_FAILED else EACH.format(body="pass"), settings=settings)
    result = plain_pytest()
    assert result.code == code, result.out
    assert words in result.out + result.err
    assert (result.out + result.err).count(words) == 1 or code == pytest.ExitCode.TESTS_FAILED
    assert "INTERNALERROR" not in result.out


@pytest.fixture
def limit_in_the_sequences(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the time limit of a test be over in a generated sequence, as pytest-timeout says it: with an alarm."""
    usual = Walk.look

    def look(walk: Walk) -> None:
        usual(walk)
        signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr(Walk, "look", look)
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("Timeout (>1.0s)"))
    yield
    signal.signal(signal.SIGALRM, before)


@POSIX_SIGNALS
@pytest.mark.usefixtures("limit_in_the_sequences")
def test_a_time_limit_ends_the_run_and_the_test_that_asked_for_it(
    plain_pytest: Run, write: Write, folder: Path
) -> None:
    write(EACH.format(body="pass"), "drsi_output = out")
    result = plain_pytest("-k", "8-limit-enforced or 3-removed", "--junitxml", "junit.xml")

    assert result.code == pytest.ExitCode.TESTS_FAILED
    found = [*outcomes(folder / "junit.xml").values()]
    assert (found[0], {*found[1:]}) == ("error", {"skipped"})
    assert "Timeout (>1.0s)" in result.out
    report = report_of(folder / "out")
    assert (report["complete"], report["summary"]["left_behind"]) == (False, 0)


def test_settings_do_nothing_where_no_test_asks_for_the_interface(plain_pytest: Run, write: Write) -> None:
    write("def test_sum():\n    assert 1 + 1 == 2\n", settings="[pytest]\ndrsi_base_url = http://127.0.0.1:9\n")
    assert plain_pytest().code == 0


# ------------------------------------------------------------------ pytest-xdist

OF_TWO = f"{EACH}\ndef test_of_the_user():\n    pass\n"


def test_each_worker_runs_the_checks_on_the_application_that_it_serves(write: Write, folder: Path) -> None:
    write(OF_TWO.format(body="pass"), "drsi_output = out")
    options = ("--disable-plugin-autoload", "-p", "xdist", "-n", "2", "-p", "conformance.pytest_plugin")
    selected = ("-k", "2.3-legalEntity or 4.4-object", "--junitxml", "junit.xml")
    words = [sys.executable, "-m", "pytest", *options, *selected]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert outcomes(folder / "junit.xml") == {
        f"test_requirement[{id}]": "passed" for id in ("2.3-legalEntity", "4.4-object")
    }
    made = sorted((folder / "out").glob("gw*"))
    assert made
    assert all(report_of(each)["complete"] for each in made)


def test_several_workers_make_no_run_against_one_service(plain_pytest: Run, write: Write, folder: Path) -> None:
    """This process takes itself for a worker: the test before has two."""
    (folder / "conftest.py").write_text("def pytest_configure(config):\n    config.workerinput = {'workerid': 'gw0'}\n")
    write(OF_TWO.format(body="pass"), settings=SETTINGS.replace("drsi_app = service:app", f"drsi_base_url = {NOWHERE}"))
    result = plain_pytest()

    assert result.code == pytest.ExitCode.TESTS_FAILED, result.out
    assert re.search(r"1 passed, \d+ skipped, 1 error", result.out)
    assert "several processes of pytest" in result.out
