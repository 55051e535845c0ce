"""The challenge of a regulator: in every request, in the record, in what people read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_services import Command, report_of, served

from conformance import __version__

LONGEST = "".join(chr(code) for code in range(33, 127) if chr(code) not in "()\\") + 37 * "x"


@pytest.mark.parametrize("nonce", ["a", LONGEST], ids=["short", "longest"])
def test_it_is_in_every_request_and_in_the_record(command: Command, folder: Path, nonce: str) -> None:
    with served() as service:
        result = command(
            *("check", service.base_url, "--profile", "public", "--select", "4.4", "--quiet"),
            *("--nonce", nonce, "--output", "run"),
        )

    entries = json.loads((folder / "run/evidence.har").read_text("utf-8"))["log"]["entries"]
    headers = [{each["name"].lower(): each["value"] for each in entry["request"]["headers"]} for entry in entries]
    assert len(entries) > 1
    assert {each["user-agent"] for each in headers} == {f"drsi-conformance/{__version__} (nonce {nonce})"}
    assert report_of(folder / "run")["run"]["nonce"] == nonce
    assert nonce in result.out.replace("\n", "")


@pytest.mark.parametrize("nonce", ["", " ", "a(b", "a\\b", "ü", "a\n", "a\x7f", "x" * 129])
def test_a_challenge_that_no_header_can_carry(command: Command, nonce: str) -> None:
    result = command("check", "--nonce", nonce)
    assert (result.code, result.out) == (2, "")
    assert "Expected 1 to 128 visible ASCII characters" in result.err
