"""What the doctor says before a run, and that check stops for the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_services import Command, replying, served

from conformance.calibration.faults import FAULTS
from conformance.calibration.twins.limits import InUse
from conformance.reference.call import Call
from conformance.reference.service import Service

pytestmark = pytest.mark.usefixtures("tokens")


def test_the_doctor_of_a_healthy_service(command: Command) -> None:
    with served() as service:
        result = command("doctor", service.base_url)
    assert result.code == 0
    assert len(service.calls) < 10
    assert {call.operation for call in service.calls} <= {"getSettings", "getData", "getDataMe", "readRequest"}
    for fact in (
        "address",
        "JSON",
        "maxNumberOfRequests 3",
        "languages: en, nl, de\n",
        "token: accepted",
        "another user",
    ):
        assert fact in result.out
    assert "A run can begin." in result.out


def test_two_tokens_that_may_be_of_one_user_are_a_note(command: Command, folder: Path) -> None:
    class Same(Service):
        """Answers GET /data/me the same for every user, as it may."""

        def data_me(self, call: Call) -> object:  # noqa: ARG002
            return {"account": "same", "types": []}

    with served(Same) as service:
        found = command("doctor", service.base_url)
        checked = command("check", service.base_url, "--output", "run", only=("4.6",))

    message = "The two tokens seem to be of the same user: they have the same account in GET /data/me."
    assert (found.code, checked.code) == (0, 0)
    assert f"note     {message}" in found.out
    assert "A run can begin." in found.out
    assert message in (folder / "run" / "report.json").read_text("utf-8")


JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("service", "problem", "fix"),
    [
        (FAULTS["settings-max-number-of-requests-string"].service, "maxNumberOfRequests: expected an integer,", ""),
        (FAULTS["settings-supported-lanaguages-absent"].service, "supportedLanaguages is missing.", ""),
        (replying("getData", 200, b"<p>x</p>", JSON), "GET /data with no token could not be read as JSON", ""),
        (
            replying("getData", 404, b"<h1>nginx</h1>", JSON),
            "This needs the data types, but GET /data with no token answered 404",
            "Serve GET /data there, or let what stands in front",
        ),
        (
            replying("getData", 403, b"{}", JSON),
            "This needs the data types, but GET /data with no token answered 403",
            "",
        ),
        (
            replying("getSettings", 401, b"{}", JSON),
            "This needs the settings, but GET /settings with no token answered 401",
            "",
        ),
    ],
)
def test_a_document_that_a_run_cannot_use_is_a_problem(
    command: Command, service: type[Service], problem: str, fix: str
) -> None:
    with served(service) as target:
        result = command("doctor", target.base_url)

    assert result.code == 0
    (line,) = (line for line in result.out.splitlines() if line.startswith("problem"))
    assert problem in line
    assert "  cause  target" in result.out
    assert f"  fix    {fix}" in result.out
    assert "A run can begin, but much of it will be inconclusive." in result.out


@pytest.mark.parametrize(("token", "words"), [("", "No access token"), ("wrong-token", "is refused")])
@pytest.mark.parametrize("name", ["doctor", "check"])
def test_a_token_that_is_missing_or_refused(
    command: Command, monkeypatch: pytest.MonkeyPatch, name: str, token: str, words: str
) -> None:
    monkeypatch.setenv("DRSI_TOKEN", token)
    with served() as service:
        result = command(name, service.base_url)
    assert (result.code, service.live) == (2, 0)
    assert words in result.out + result.err
    assert "  cause  credential" in result.out + result.err


@pytest.mark.parametrize(
    ("certificate", "spoken", "given", "advice"),
    [
        ("right-name.pem", "https", "http", "check scheme and port of the base_url"),
        (None, "http", "https", "give a base_url with http"),
    ],
)
@pytest.mark.parametrize("command_name", ["doctor", "check"])
def test_of_a_port_that_speaks_another_scheme_the_advice_names_the_scheme(
    command: Command, certificate: str | None, spoken: str, given: str, advice: str, command_name: str
) -> None:
    with served(certificate=certificate) as service:
        result = command(command_name, service.base_url.replace(spoken, given, 1), "--profile", "public")

    assert result.code == 3
    assert advice in " ".join((result.out + result.err).split())


def test_with_create_the_doctor_recognises_an_account_that_is_not_empty(command: Command) -> None:
    with served() as service:
        empty = command("doctor", service.base_url, "--create")
    with served(InUse) as service:
        used = command("doctor", service.base_url, "--create")

    assert "room: 3 requests at the same time; maxNumberOfRequests is 3" in empty.out
    assert "Creations were refused for the limit with 2 requests of this run, and maxNumberOfRequests is 3." in used.out
    assert "The account may not be empty: delete its open requests" in used.out
    assert (empty.code, used.code) == (0, 0)
