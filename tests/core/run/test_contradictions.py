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
    return run_over(plan=only("4.3", "2.1-createdAt-value"))


def forged(run: Run, alter: Callable[[Json], None]) -> Verification:
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


def test_an_honest_run_contradicts_nothing(run: Run) -> None:
    found = forged(run, lambda _: None)
    assert (found.damage, found.differences, found.remarks) == ((), (), ())


@pytest.mark.parametrize(
    ("message", "name", "value"),
    [
        ("request", "host", "production.example"),
        ("request", "user-agent", "curl/8.5.0"),
        ("request", "content-length", "4711"),
        ("response", "content-length", "1"),
    ],
)
def test_an_altered_header_is_found(run: Run, message: str, name: str, value: str) -> None:
    def alter(log: Json) -> None:
        field(creation(log)[message], name)["value"] = value

    found = forged(run, alter)

    assert [each.recorded for each in found.differences] == [value]
    assert name in found.differences[0].what.lower()
    assert not found.is_equal


def test_a_date_that_is_no_clock_of_the_service_is_named_and_accuses_no_one(run: Run) -> None:
    def alter(log: Json) -> None:
        date = field(creation(log)["response"], "date")
        date["value"] = format_datetime(parsedate_to_datetime(date["value"]) + timedelta(minutes=14), usegmt=True)

    found = forged(run, alter)

    assert found.differences == ()
    assert len(found.remarks) == 1
    assert "Date" in found.remarks[0]
    assert found.is_equal


@pytest.mark.parametrize(
    ("what", "alter"),
    [
        ("_certified", lambda entry: entry.update(_certified=True)),
        ("comment", lambda entry: entry.update(comment="seen by the regulator")),
        ("redirectURL", lambda entry: entry["response"].update(redirectURL="https://elsewhere.example/")),
        ("queryString", lambda entry: entry["request"]["queryString"].append({"name": "a", "value": "b"})),
        ("mimeType", lambda entry: entry["response"]["content"].update(mimeType="text/html")),
        ("wait", lambda entry: entry["timings"].update(wait=1)),
        ("bodySize", lambda entry: entry["request"].update(bodySize=1)),
    ],
)
def test_a_member_that_no_verdict_reads_is_found(run: Run, what: str, alter: Callable[[Json], None]) -> None:
    found = forged(run, lambda log: alter(creation(log)))
    assert [each.what.partition(" of the exchange ")[0].split(".")[-1] for each in found.differences] == [what]


@pytest.mark.parametrize(
    ("what", "alter"),
    [
        ("path", lambda entry: entry["request"].update(url=f"{entry['request']['url']}/more")),
        ("method", lambda entry: entry["request"].update(method="PATCH")),
        ("method", lambda entry: entry.update(_operation="getSettings")),
        ("credential", lambda entry: entry.update(_credential="other user")),
        ("credential", lambda entry: entry.update(_credential="no token")),
    ],
)
def test_what_an_exchange_says_of_its_request_has_to_be_shown(
    run: Run, what: str, alter: Callable[[Json], None]
) -> None:
    found = forged(run, lambda log: alter(creation(log)))
    assert what in {each.what.partition(" of the exchange ")[0] for each in found.differences}


@pytest.mark.parametrize(
    ("what", "alter"),
    [
        ("pages", lambda log: log.update(pages=[])),
        ("creator", lambda log: log["creator"].update(name="another tool")),
        ("_run", lambda log: log["_run"].update(certified=True)),
    ],
)
def test_a_member_of_the_log_is_found(run: Run, what: str, alter: Callable[[Json], None]) -> None:
    assert [what in each.what for each in forged(run, alter).differences] == [True]
