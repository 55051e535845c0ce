"""The profile of a service: its choices in the open matters by real runs, as words that compare, and as views."""

from __future__ import annotations

import re
from functools import cache

import pytest
import report_samples as samples

from conformance.calibration.combinations import find_variant
from conformance.calibration.run_one import REFERENCE_JOB, session_of
from conformance.calibration.variant import REFERENCE
from conformance.model.errors import choice
from conformance.model.printable import HAZARD
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level, Verdict
from conformance.reports import profile_views
from conformance.reports.profile import (
    KnownClient,
    Profile,
    broken,
    choice_in,
    differences,
    known_clients,
    profile,
)
from conformance.run.check import check
from conformance.run.documents import Documents
from conformance.run.plan import Plan
from conformance.run.progress import ProgressListener

ONLY = ("2.1-timestamp-form", "4.1-empty-array", "4.2-completed-request", "5-isolation", "7-other-errors")
CALLS = ("4.2-answers-200",)  # open matters show in them
CLIENTS = known_clients()


@cache
def chosen(twin: str, *only: str) -> Profile:
    """Return the profile by a run of some requirements of a conforming service, by default the reference service."""
    session = session_of(find_variant(twin) if twin else REFERENCE, REFERENCE_JOB)
    try:
        run = check(session, Plan(only=(*only, *CALLS)), ProgressListener())
    finally:
        session.close()
    documents = Documents(run)
    return profile(documents.shown)


def test_a_profile_has_what_the_run_saw_and_says_of_the_rest_why_not() -> None:
    found = chosen("", *ONLY)
    by_id = {each.id: each for each in found.matters}

    assert [*by_id] == [*(id for id, row in catalogue().rows.items() if row.level is Level.OPEN)]
    assert {id: by_id[id].words for id in ONLY[:2]} == {
        "2.1-timestamp-form": {"createdAt ends with Z after 3 digits of a second"},
        "4.1-empty-array": {'400 "InvalidDataTypes"'},
    }
    (shown,) = by_id["2.1-timestamp-form"].choices
    assert shown.answers > 3
    assert re.fullmatch("e[0-9]+", shown.exchange)
    assert {id: by_id[id].not_seen for id in ("4.2-completed-request", "6-events", "7-other-errors")} == {
        "4.2-completed-request": "The run saw no completed request.",
        "6-events": "The specification names no way to receive an event.",
        "7-other-errors": "No answer of the run shows this.",
    }


def test_two_services_do_not_differ_in_what_one_of_the_runs_did_not_see() -> None:
    def found(*messages: str) -> Profile:
        said = tuple(samples.finding(Verdict.OBSERVED, message=f"{each}.") for each in messages)
        return profile(samples.report(findings={"4.6-shape": said}))

    assert not list(differences(found("a", "b"), found("The run had no occasion to ask")))
    (only,) = differences(found("a", "b"), found("b", "c"))
    assert (only.first.words, only.second.words) == ({"a"}, {"c"})


@pytest.mark.parametrize(
    ("message", "words", "answers"),
    [
        (
            choice("200 to a: 2 answers", 1234, samples.exchanges()[0], of=2000, detail=", in nl"),
            "200 to a: 2 answers",
            1234,
        ),
        (choice("404", 1, samples.exchanges()[4]), "404", 1),
        ("GET /requests/8b1d8f0e… answers 404.", "GET /requests/… answers 404", 0),
        ("nonce=a1b2c3d4e5: 2 answers, such as that to GET /a. (and 7 more like this)", "nonce=…", 2),
        ("No answer of the run shows this.", "", 0),
        ("404: 2 answers, such as that to POST /a with the body 'a: 9,999 answers, such as that to x'.", "404", 2),
        ("404: 1234567890123 answers, such as that to GET /a.", "", 0),
        ("It is chosen by header:X-Api2-Language.", "It is chosen by header:X-Api2-Language", 0),
    ],
)
def test_the_words_of_a_choice_are_the_same_in_each_run(message: str, words: str, answers: int) -> None:
    assert choice_in(message) == (words, answers)


@pytest.mark.parametrize(
    ("matter", "words", "clients"),
    [
        ("0-redirects", '302 "Found"', 1),
        ("0-redirects", '308 "Moved"', 2),
        ("4.1-other-media-types", '400 "MaximumAmountOfRequestsReached" to text/plain; charset=ISO-8859-1', 0),
        ("5.3-www-authenticate", 'WWW-Authenticate Bearer realm="a", Basic realm="b"', 0),
        ("5.3-www-authenticate", f"WWW-Authenticate Bearer {'a' * 500}", 0),
        ("7-other-errors", "503", 0),
    ],
)
def test_a_choice_breaks_only_the_clients_that_it_is_known_to_break(matter: str, words: str, clients: int) -> None:
    assert len(broken(matter, words)) == clients


@pytest.mark.parametrize("twin", sorted({each.twin for each in CLIENTS}))
def test_a_known_client_is_named_where_a_conforming_service_makes_the_choice(twin: str) -> None:
    clients = [each for each in CLIENTS if each.twin == twin]
    found = chosen(twin, *sorted({each.matter for each in clients}))

    named = {client for each in found.matters for one in each.choices for client in one.breaks}
    assert named >= {*clients}


def test_the_views_show_a_known_client_and_no_hostile_text(monkeypatch: pytest.MonkeyPatch) -> None:
    client = KnownClient(
        matter="5-isolation", choice="Another .*", client="Some 1.0", effect="It ends.", source="tried"
    )
    monkeypatch.setattr("conformance.reports.profile.known_clients", lambda: (client,))
    alerts = samples.report(findings=samples.alert_findings(samples.HOSTILE), base_url=f"http://a/{samples.HOSTILE}")
    found = profile(alerts)
    other = profile(samples.report(findings={"5-isolation": (samples.finding(Verdict.OBSERVED),)}))

    for page in (profile_views.html(found), profile_views.html(found, other, differences(found, other))):
        assert "Breaks Some 1.0: It ends." in page
        assert not HAZARD.search(page.replace("\n", ""))
        assert not re.search("<(?:script|img|svg|a href='javascript)", page)
    assert "1 choice that breaks known clients" in profile_views.html(found)
