"""The exchanges of a run and the results of its scenarios, written as JSON and read again."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
import report_samples as samples

from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.model.strict_json import LARGE
from conformance.model.verdict import Blame
from conformance.trace import codec
from conformance.trace.har import exchanges_of, har


@dataclass(frozen=True)
class Inner:
    text: str
    either: tuple[str, ...] | None = None


@dataclass
class Sample:
    inner: list[Inner] = field(default_factory=list)
    names: dict[str, Inner] = field(default_factory=dict)
    pair: tuple[int, bytes] = (0, b"")
    undecided: NotDecided | None = None


SAMPLE = Sample([Inner("a", ("b", "c")), Inner("d", ())], {"f": Inner("g")}, (1, b"\xff"))


def again(value: Any, kind: Any) -> Any:
    return codec.read(json.loads(json.dumps(codec.written(value))), kind, {})


def test_a_result_is_read_as_it_was_written() -> None:
    assert again(SAMPLE, Sample) == SAMPLE


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (1, str),
        (True, int),
        ("e1", Exchange),
        ([["NotDecided"]], NotDecided),
        (["Exception", {}], NotDecided),
        (["Crashed", {"message": "", "traceback": ""}], NotDecided),
        ({"either": ["a"]}, Inner),
        ({"text": "a", "either": [9, "b"]}, Inner),
        ([1], tuple[int, bytes]),
        ([1, "no base64!"], tuple[int, bytes]),
        ("abc", list[int]),
        ([["a", 1], "b"], dict[str, int]),
        (None, Blame),
    ],
)
def test_what_the_suite_did_not_write_is_refused(data: Any, kind: Any) -> None:
    with pytest.raises((LookupError, TypeError, ValueError, AttributeError)):
        codec.read(data, kind, {})


@pytest.fixture
def entries() -> dict[str, dict[str, Any]]:
    return {entry["_id"]: entry for entry in samples.evidence(samples.HOSTILE)["log"]["entries"]}


@pytest.mark.parametrize("text", ["", samples.HOSTILE])
def test_every_exchange_comes_back_as_it_was(text: str) -> None:
    exchanges = samples.exchanges(text)
    assert exchanges_of(json.loads(json.dumps(har(exchanges)))) == exchanges


def test_a_large_body_is_kept_once(entries: dict[str, dict[str, Any]]) -> None:
    repeated = entries["e3"]["response"]["content"]
    assert repeated["_same_as"] == "e2"
    assert repeated["comment"] == "same content as entry e2"
    assert repeated["text"] == ""
    assert repeated["size"] == entries["e2"]["response"]["content"]["size"] > LARGE


def test_a_body_that_is_nowhere_is_an_error() -> None:
    evidence = samples.evidence()
    evidence["log"]["entries"] = [each for each in evidence["log"]["entries"] if each["_id"] != "e2"]
    with pytest.raises(KeyError, match="e2"):
        exchanges_of(evidence)
