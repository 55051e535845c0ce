"""Forged exchanges: the owner of a run alters one, and makes new digests of all."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import timedelta
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any

import pytest
from whole_runs import only, run_over, written

from conformance.run.conclusion import Run
from conformance.run.verify import Verification, verify
from conformance.trust import chain

Json = dict[str, Any]


@pytest.fixture(scope="module")
def run() -> Run:
    return run_over(plan=only("4.3-answers-ok", "2.1-createdAt-value"))


def forged(run: Run, alter: Callable[[Json], object]) -> Verification:
    """Return the verification of a run whose first answered creation, or whose log, somebody altered."""
    report, evidence = copy.deepcopy(written(run))
    alter(evidence["log"])
    evidence = chain.chained(evidence)
    return verify(chain.sealed(report, evidence), evidence)


def creation(log: Json) -> Json:
    """Return the first creation that was answered with a data request."""
    found: Json = next(
        each
        for each in log["entries"]
        if (each["request"]["method"], each["response"]["status"]) == ("POST", 200)
        and any(one["name"].lower() == "content-length" for one in each["request"]["headers"])
        and each["request"]["bodySize"]
    )
    return found


def field(message: Json, name: str) -> Json:
    """Return the first header field of a message with a name."""
    found: Json = next(each for each in message["headers"] if each["name"].lower() == name)
    return found


def test_a_date_that_is_no_clock_of_the_service_is_named_and_accuses_no_one(run: Run) -> None:
    def alter(log: Json) -> None:
        date = field(creation(log)["response"], "date")
        date["value"] = format_datetime(parsedate_to_datetime(date["value"]) + timedelta(minutes=14), usegmt=True)

    found = forged(run, alter)

    assert found.differences == ()
    assert len(found.remarks) == 1
    assert "Date" in found.remarks[0]
    assert found.is_equal


def _of_creation(change: Callable[[Json], object]) -> Callable[[Json], object]:
    return lambda log: change(creation(log))


def _header(name: str, value: str) -> Callable[[Json], object]:
    return _of_creation(lambda entry: field(entry["request"], name).update(value=value))


ALTERED: dict[str, tuple[str, Callable[[Json], object]]] = {
    "a host": ("host", _header("host", "production.example")),
    "a client": ("user-agent", _header("user-agent", "curl/8.5.0")),
    "a length": ("content-length", _header("content-length", "4711")),
    "a member": ("_certified", _of_creation(lambda entry: entry.update(_certified=True))),
    "a comment": ("comment", _of_creation(lambda entry: entry.update(comment="seen by the regulator"))),
    "a redirect": ("redirectURL", _of_creation(lambda entry: entry["response"].update(redirectURL="https://x/"))),
    "a query": ("queryString", _of_creation(lambda entry: entry["request"]["queryString"].append({"name": "a"}))),
    "a media type": ("mimeType", _of_creation(lambda entry: entry["response"]["content"].update(mimeType="x/y"))),
    "an address": ("path", _of_creation(lambda entry: entry["request"].update(url=f"{entry['request']['url']}/x"))),
    "a method": ("method", _of_creation(lambda entry: entry["request"].update(method="PATCH"))),
    "an operation": ("method", _of_creation(lambda entry: entry.update(_operation="getSettings"))),
    "no user": ("credential", _of_creation(lambda entry: entry.update(_credential="no token"))),
    "pages": ("pages", lambda log: log.update(pages=[])),
    "a tool": ("creator", lambda log: log["creator"].update(name="another tool")),
    "conditions": ("_run", lambda log: log["_run"].update(certified=True)),
}


@pytest.mark.parametrize("case", ALTERED)
def test_what_an_exchange_or_the_log_does_not_show_itself_is_found(run: Run, case: str) -> None:
    what, alter = ALTERED[case]
    found = forged(run, alter)
    assert any(what.lower() in each.what.lower() for each in found.differences)
