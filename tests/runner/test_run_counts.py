"""The numbers of data requests in the reports of services that lose requests, or give one identifier to several."""

from __future__ import annotations

from report_samples import typed
from whole_runs import bent, config, only, run_over

from conformance.model.results import Summary
from conformance.model.verdict import Outcome
from conformance.reference.call import Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest
from conformance.reports import summary
from conformance.runner.documents import Documents
from conformance.runner.run import Run


def checked(service: type[Service], **changes: object) -> Run:
    """Return a short run against `service`, whose numbers add up."""
    run = run_over(config(**changes), bent(service), plan=only("2.1", "3", "4.3"))
    summary = run.report.summary
    named = summary.created - summary.deleted - summary.not_found
    assert 0 <= named <= summary.left_behind
    return run


def ledger(run: Run) -> str:
    return summary.traffic_sentence(typed(Documents(run).data)).partition("data requests: ")[2]


class StoresNothing(Service):
    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        return self.new_request(types, call)


class OneIdentifier(Service):
    """Stores each request under the same identifier."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002
        return "8b1d8f0e-3c50-4f0c-9d34-5b2a7f6d1c11"


class DeletesNothing(Service):
    """Confirms each deletion, and does nothing."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        return request


def test_no_request_of_a_service_that_stores_nothing_is_deleted() -> None:
    run = checked(StoresNothing)
    summary = run.report.summary

    assert run.report.outcome is Outcome.DOES_NOT_CONFORM
    assert summary.created > 10
    assert (summary.deleted, summary.not_found, summary.left_behind) == (0, summary.created, 0)
    assert (
        ledger(run) == f"{summary.created} created, 0 deleted, {summary.created} not found at the end, 0 left behind."
    )


def test_one_identifier_for_all_requests_is_one_request() -> None:
    run = checked(OneIdentifier)

    assert run.report.outcome is Outcome.DOES_NOT_CONFORM
    assert ledger(run) == "1 created, 1 deleted, 0 left behind."


def test_requests_whose_deletion_has_no_effect_are_left_behind() -> None:
    run = checked(DeletesNothing)
    summary = run.report.summary

    assert run.report.outcome is Outcome.DOES_NOT_CONFORM
    assert (summary.deleted, summary.not_found, summary.left_behind) == (0, 0, summary.created)
    assert ledger(run) == f"{summary.created} created, 0 deleted, {summary.created} left behind."


def test_completed_requests_that_cannot_be_read_are_deleted_like_the_others() -> None:
    summary: Summary = checked(Service, complete_after=0.0, completed_readable=False).report.summary

    assert (summary.created, summary.not_found, summary.left_behind) == (summary.deleted, 0, 0)


def test_completed_requests_that_the_service_drops_are_not_found() -> None:
    class Drops(Service):
        """Forgets a request once it is completed."""

        def find(self, call: Call) -> DataRequest:
            for request in self.store.all():
                if request.completed_at(self.now()) is not None:
                    self.store.remove(request.id)
            return super().find(call)

    run = checked(Drops, complete_after=0.0)
    summary = run.report.summary

    assert (summary.deleted, summary.not_found, summary.left_behind) == (0, summary.created, 0)
