"""Hosts of addresses that come from outside."""

from __future__ import annotations

import re
from pathlib import Path

import httpx

import conformance
from conformance.model import hosts, option_values
from conformance.model.exchange import same_origin
from conformance.model.hosts import host_of


def test_a_name_that_idna_refuses_is_a_host_of_its_own() -> None:
    snowman = "https://xn--n3h.example/login"
    assert host_of(httpx.URL(snowman)) == "xn--n3h.example"
    assert same_origin(snowman, "https://XN--N3H.example:443/")
    assert not same_origin(snowman, "https://service.example/")


def test_the_host_of_an_address_is_read_in_one_place() -> None:
    folder = Path(conformance.__file__).parent
    # The callers of the last one name its host.
    own = {Path(hosts.__file__), Path(option_values.__file__), folder / "reference" / "in_process.py"}
    reads = re.compile(r"(?<!options)\.host\b")
    found = [path.name for path in {*folder.rglob("*.py")} - own if reads.search(path.read_text("utf-8"))]
    assert not found, "Use host_of of conformance/model/hosts.py: `.host` of httpx raises for names that IDNA refuses."
