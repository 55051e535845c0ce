"""`serve --fault`, `--twin` and `--list-faults`."""

from __future__ import annotations

import httpx
import pytest
from conftest import Command

from conformance.calibration.faults import FAULTS
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import find_variant
from conformance.reference.server import Ready

FAULT = "settings-terms-of-service-absent"


def test_every_fault_and_twin_is_listed(command: Command) -> None:
    result = command("serve", "--list-faults")

    assert result.code == 0
    assert all(f"  {name}: " in result.out for name in FAULTS)
    assert all(f"  {twin.name} ({twin.clause}): " in result.out for twin in TWINS.values())
    assert all(f"\n{fault.requirement}\n" in result.out for fault in FAULTS.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--fault", f"{FAULT}s"), FAULT),
        (("--fault", "served-at-the-root"), "No fault is called"),
        (("--twin", "bogus"), "--list-faults"),
        (("--fault", FAULT, "--twin", "served-at-the-root"), "two different things"),
    ],
)
def test_a_name_that_nothing_has_is_refused(command: Command, arguments: tuple[str, ...], message: str) -> None:
    result = command("serve", *arguments)

    assert result.code == 2
    assert message in result.err


@pytest.mark.parametrize(("option", "name"), [("--fault", FAULT), ("--twin", "served-at-the-root")])
def test_what_is_served_is_bent(command: Command, monkeypatch: pytest.MonkeyPatch, option: str, name: str) -> None:
    served = []
    monkeypatch.setattr("conformance.cli.service.serve", lambda config, service, **_: served.append((config, service)))

    assert command("serve", option, name).code == 0

    assert [service for _, service in served] == [find_variant(name).service]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_tokens_of_however_many_users_are_told(
    command: Command, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    tokens = ("first-token", "second token")[:number]
    ready = Ready(str(httpx.URL("http://127.0.0.1:1/x")), tokens)
    monkeypatch.setattr("conformance.cli.service.serve", lambda *_, on_ready, **__: on_ready(ready))

    out = command("serve").out

    assert ("DRSI_TOKEN=first-token " in out) is (number > 0)
    assert ("DRSI_OTHER_TOKEN='second token' " in out) is (number > 1)
    assert "drsi-conformance check http://127.0.0.1:1/x" in out
