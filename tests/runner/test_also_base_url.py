"""Several addresses of one service: state of each instance is found for certain, and a shared store passes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cli_services import OTHER_TOKEN, TOKEN, listening, served
from whole_runs import Silent, only, row_of, verified, written

from conformance.http.session import Session
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.transport import BoundedTransport
from conformance.model.exchange import Operation, same_origin
from conformance.model.target import Target, Token
from conformance.model.verdict import Outcome, Verdict
from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service
from conformance.runner.conclusion import Run
from conformance.runner.run import check
from conformance.runner.verify import verify

NARROW = ("4.2-answers-200", "4.3-answers-ok", "4.4")


@contextmanager
def one_service() -> Iterator[tuple[str, str]]:
    """The twin: two instances that share their store."""
    users = (User("alice.example", TOKEN), User("bob.example", OTHER_TOKEN))
    settings = ReferenceConfig(users=users)
    app = build_app(settings, Service)
    with listening(app) as first, listening(app) as second:
        yield first + settings.path_prefix, second + settings.path_prefix


def run_at(base_url: str, *also: str) -> Run:
    target = Target(
        base_url=base_url,
        also_base_urls=also,
        user=Token(TOKEN),
        other=Token(OTHER_TOKEN),
        account_is_empty=True,
        account_is_for_testing=True,
    )
    session = Session(target, transport=BoundedTransport(bounds=Limits()), keep_personal_data=True)
    try:
        return check(session, only(*NARROW), Silent())
    finally:
        session.close()


def calls_at(run: Run, address: str) -> int:
    return sum(same_origin(each.request.url, address) for each in run.exchanges)


def test_state_of_each_instance_fails_and_is_named_and_nothing_is_left_behind() -> None:
    with served() as first, served() as second:
        run = run_at(first.base_url, second.base_url)
        left = first.live + second.live

    report = run.report
    assert report.outcome is Outcome.DOES_NOT_CONFORM
    assert row_of(report, "4.2-answers-200").verdict is Verdict.FAIL
    (said,) = [note.message for note in report.notes if "do not share" in note.message]
    assert "were answered 404 at another address" in said
    assert min(calls_at(run, first.base_url), calls_at(run, second.base_url)) > 3
    assert (left, report.summary.left_behind) == (0, 0)
    assert verified(run).differences == ()


def test_two_instances_with_one_store_pass() -> None:
    with one_service() as (first, second):
        run = run_at(first, second)

    report = run.report
    assert report.outcome is Outcome.CONFORMS_IN_PART
    assert row_of(report, "4.2-answers-200").verdict is Verdict.PASS
    assert [note.message for note in report.notes if "do not share" in note.message] == []
    assert any(f"to 2 addresses of the service: {first} and {second}." in note.message for note in report.notes)
    assert verified(run).differences == ()


def test_what_one_address_created_is_read_at_another() -> None:
    with one_service() as (first, second):
        run = run_at(first, second)

    home = {e.response.document.value["requestId"]: e.request.url for e in run.exchanges if _created(e)}
    read = [e for e in run.exchanges if e.operation is Operation.READ and e.intent.request == "existing"]
    there = [not same_origin(e.request.url, home[e.path.rpartition("/")[2]]) for e in read]
    assert any(there)


def _created(exchange) -> bool:  # type: ignore[no-untyped-def]
    answer = exchange.response
    return exchange.operation is Operation.CREATE and answer is not None and answer.status == 200


def test_the_same_fault_is_not_seen_at_one_address() -> None:
    with served() as first:
        report = run_at(first.base_url).report

    assert row_of(report, "4.2-answers-200").verdict is Verdict.PASS


def test_the_record_names_the_address_of_each_call_and_cannot_hide_it() -> None:
    with one_service() as (first, second):
        report, evidence = written(run_at(first, second))

    assert evidence["log"]["_run"]["also_base_urls"] == [second]
    assert any(entry["request"]["url"].startswith(second) for entry in evidence["log"]["entries"])
    del evidence["log"]["_run"]["also_base_urls"]
    assert verify(report, evidence, despite_damage=True).differences


def test_without_further_addresses_the_record_has_no_member_for_them() -> None:
    with served() as first:
        report, evidence = written(run_at(first.base_url))

    assert "also_base_urls" not in evidence["log"]["_run"]
    assert "also-base-url" not in report["run"]["options"]
