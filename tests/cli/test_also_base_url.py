"""--also-base-url on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_services import Command, report_of, served

pytestmark = pytest.mark.usefixtures("tokens")


def test_a_run_over_two_instances_can_be_verified(command: Command, folder: Path) -> None:
    with served() as first, served() as second:
        arguments = (first.base_url, "--also-base-url", second.base_url, "--quiet", "--output", "out")
        result = command("check", *arguments, only=("4.2-answers-200", "4.4"))
    verified = command("verify", "out")

    assert result.code == 1, result.out + result.err
    assert "do not share their data requests" in " ".join(result.out.split())
    assert report_of(folder / "out")["run"]["options"]["also-base-url"] == [second.base_url]
    assert verified.code == 0, verified.out + verified.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--also-base-url", "http://127.0.0.1:2/api"), "Add the BASE_URL."),
        (("http://127.0.0.1:1/api", "--also-base-url", "http://127.0.0.1:2"), "expected the scheme and the path of"),
        (("http://127.0.0.1:1/api", "--also-base-url", "https://127.0.0.1:2/api"), "only host and port differ"),
        (("http://127.0.0.1:1/api", "--also-base-url", "http://127.0.0.1:1/api/"), "is given twice"),
        (("http://127.0.0.1:1/api", "--also-base-url", "ftp://x"), "has the scheme ftp"),
    ],
)
def test_an_address_of_another_service_is_refused(command: Command, arguments: tuple[str, ...], said: str) -> None:
    result = command("check", *arguments)

    assert (result.code, said in " ".join(result.err.split())) == (2, True), result.err
