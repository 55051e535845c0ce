from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from report_samples import errors_of
from rich.console import Console
from whole_runs import bent, differences, only, row_of, run_over, session_over, written

from conformance.http.session import Session
from conformance.model.report import Report
from conformance.model.upstream_rows import CHECK, upstream
from conformance.model.verdict import Level, Outcome, Verdict
from conformance.reference.call import Action, Call, Reply
from conformance.reference.upstream import LANGUAGE_SELECTOR, UpstreamService
from conformance.reports import ctrf, html, junit, markdown, sarif, terminal
from conformance.reports.har import exchanges_of
from conformance.runner.conclusion import Run
from conformance.runner.documents import Documents
from conformance.runner.plugin import ProgressListener
from conformance.runner.run import check

NARROW = replace(only("4.6"), profile="upstream")
OFFERED = replace(bent(UpstreamService), config={"language_selector": LANGUAGE_SELECTOR})


def said(run: Run) -> dict[str, str]:
    return {row.id: row.message for row in run.report.upstream}


@pytest.fixture(scope="module")
def without() -> Run:
    """A run over a service that has nothing of the ancestor but what the specification has as well."""
    return run_over(plan=NARROW)


@pytest.fixture(scope="module")
def offered() -> Run:
    return run_over(bend=OFFERED, plan=NARROW)


def calls(run: Run) -> list[tuple[str, str, str]]:
    return [(each.check, each.request.method, each.path) for each in run.exchanges]


def test_the_other_profiles_send_no_call_of_it_and_have_no_row_of_it(without: Run) -> None:
    full = run_over(plan=only("4.6"))

    upstream_calls = [call for call in calls(without) if call[0] == CHECK]
    assert calls(full) == [call for call in calls(without) if call[0] != CHECK]
    assert len(upstream_calls) == 11
    assert full.report.upstream == ()
    assert "upstream" not in Documents(full).data


def test_no_verdict_and_no_number_of_requirements_changes(without: Run) -> None:
    full, more = run_over(plan=only("4.6")).report, without.report

    assert [(row.id, row.verdict) for row in full.requirements] == [(row.id, row.verdict) for row in more.requirements]
    assert (full.outcome, full.summary.must, full.summary.verdicts) == (
        more.outcome,
        more.summary.must,
        more.summary.verdicts,
    )
    assert full.identifiers == more.identifiers
    assert more.scope.profile == "upstream"


def test_every_row_is_open_and_names_its_place(without: Run) -> None:
    rows = without.report.upstream

    assert [row.id for row in rows] == list(upstream().rows)
    assert {row.level for row in rows} == {Level.OPEN}
    assert all(row.place == upstream().rows[row.id].place for row in rows)
    assert {row.verdict for row in rows} == {Verdict.OBSERVED, Verdict.NOT_TESTED}
    assert errors_of(Documents(without).data) == []


def test_what_a_service_without_them_does_is_observed(without: Run) -> None:
    seen = said(without)

    assert seen["upstream-list"].startswith("GET /requests answered 405 (application/json)")
    assert "/complete answered 404" in seen["upstream-complete"]
    assert "/download answered 404" in seen["upstream-download"]
    assert "as without lang" in seen["upstream-lang"]
    assert seen["upstream-account"] == "GET /data/me answered with account as a string."


def test_what_a_service_with_them_does_is_observed(offered: Run) -> None:
    seen = said(offered)

    assert "answered 200 (application/json), an array of 1, with the request of this run." in seen["upstream-list"]
    assert "answered 200 (text/plain) and the body '0'" in seen["upstream-complete"]
    assert "/download answered 400" in seen["upstream-download"]
    assert "otherwise than without lang" in seen["upstream-lang"]
    assert "GET /data?lang=zz, a code of no language, answered 400" in seen["upstream-lang"]
    assert all(f"{row} " in said or "with no token answered 401" in said for row, said in seen.items() if row in _USER)


_USER = ("upstream-list", "upstream-complete", "upstream-download")


def test_the_observations_are_computed_again_from_the_evidence(offered: Run) -> None:
    assert differences(offered) == []


def test_an_altered_observation_is_found(offered: Run) -> None:
    from conformance.evidence import chain
    from conformance.runner.verify import verify

    report, evidence = written(offered)
    report["upstream"][0]["message"] = "GET /requests answered 500."
    found = verify(chain.sealed({**report, "digests": None}, evidence), evidence)

    assert [each.what for each in found.differences] == ["upstream"]


class _CompleteDeletes(UpstreamService):
    """The call that asks for the completion removes the request."""

    def completion(self, call: Call) -> Reply:
        self.remove(self.find(call))
        return Reply(200, b"1")


class _Failing(UpstreamService):
    """The calls of the ancestor break the service."""

    async def perform(self, call: Call) -> Reply:
        return Reply(500, b"oops") if call.operation is Action.OTHER else await super().perform(call)


@pytest.mark.parametrize("service", [_CompleteDeletes, _Failing])
def test_nothing_that_these_calls_do_is_judged(service: type[UpstreamService]) -> None:
    run = run_over(bend=bent(service), plan=replace(only("3", "4.3", "0", "7"), profile="upstream"))

    assert [row.id for row in run.report.requirements if row.verdict in (Verdict.FAIL, Verdict.WARN)] == []
    assert run.report.alerts == ()
    assert run.report.summary.left_behind == 0
    assert differences(run) == []


class _ArchiveAtOnce(UpstreamService):
    """An archive is sent for each request, also for one in progress."""

    def download(self, call: Call) -> Reply:
        self.find(call)
        return Reply(200, b"PK\x03\x04 secrets of a person", {"content-type": "application/zip"})


def test_no_archive_is_received() -> None:
    run = run_over(bend=bent(_ArchiveAtOnce), plan=NARROW)

    assert "/download answered 200 (application/zip)" in said(run)["upstream-download"]
    assert all(b"secrets of a person" not in each.response.body for each in run.exchanges if each.response)


class _Open(UpstreamService):
    """The calls of the ancestor are of another component, which looks at no token."""

    absent = Reply(404)

    async def perform(self, call: Call) -> Reply:
        if call.operation is not Action.OTHER or call.authorization:
            return await super().perform(call)
        if call.path.endswith("/requests"):
            return Reply.json([{"requestId": each.id} for each in self.store.all()])
        return (
            Reply(200, b"PK", {"content-type": "application/zip"}) if self.store.get(call.request_id) else self.absent
        )


class _Website(_Open):
    """A website answers each path that it does not know with its page, also without a token."""

    absent = Reply(200, b"<html>", {"content-type": "text/html"})

    async def perform(self, call: Call) -> Reply:
        return self.absent if call.operation is Action.OTHER and not call.authorization else await super().perform(call)


def test_data_of_a_user_outside_of_the_interface_without_a_token_are_an_alert() -> None:
    run = run_over(bend=bent(_Open), plan=replace(only("5-isolation"), profile="upstream"))

    assert run.report.alerts == ("5-isolation",)
    told = [each.message for each in row_of(run.report, "5-isolation").findings if each.alert]
    assert ["/download with no token answered 200 (application/zip): " in each for each in told] == [False, True]
    assert all("outside of the interface, the service gives data of a user to everybody." in each for each in told)
    assert (differences(run), errors_of(Documents(run).data)) == ([], [])


def test_a_website_that_answers_every_path_gives_no_data() -> None:
    run = run_over(bend=bent(_Website), plan=replace(only("5-isolation"), profile="upstream"))

    assert "/download with no token answered 200 (text/html)" in said(run)["upstream-download"]
    assert run.report.alerts == ()


@contextmanager
def interrupted() -> Iterator[tuple[Session, ProgressListener]]:
    class Stops(ProgressListener):
        def at(self, clause: str, check: str) -> None:  # noqa: ARG002
            session.stop()

    with session_over() as session:
        yield session, Stops()


def test_an_interrupted_run_says_that_nothing_was_tried() -> None:
    with interrupted() as (session, stops):
        run = check(session, NARROW, stops)

    assert run.report.outcome is Outcome.INCONCLUSIVE
    assert said(run)["upstream-list"] == "The run ended before this was tried."
    assert errors_of(Documents(run).data) == []


def shown(run: Run) -> tuple[Report, dict[str, Any]]:
    documents = Documents(run)
    return documents.shown, documents.evidence


def test_reports_for_people_show_it_apart_from_the_requirements(offered: Run) -> None:
    report, evidence = shown(offered)
    console = Console(record=True, width=200)
    terminal.print_summary(console, report, [])
    page = html.render(report, exchanges_of(evidence))

    for text in (" ".join(each.split()) for each in (console.export_text(), markdown.render(report), page)):
        assert "Upstream, not the specification" in text
        assert "none is counted" in text
        assert all(row in text for row in upstream().rows)
        assert "Open Data Rights API 0.1.0, spec/openapi.json, GET /requests" in text.replace("\\", "")


def test_reports_for_programs_have_only_the_requirements_of_the_specification(offered: Run) -> None:
    report, _ = shown(offered)

    for text in (junit.render(report), str(sarif.document(report)), str(ctrf.document(report))):
        assert "upstream-" not in text
