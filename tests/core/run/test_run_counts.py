"""The numbers of data requests in the reports of services that lose requests, or give one identifier to several."""

from __future__ import annotations

from typing import Any

import pytest
from report_samples import typed
from whole_runs import bent, config, only, run_over

from conformance.model.verdict import Exit, Outcome
from conformance.reference.call import Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest
from conformance.reports import summary
from conformance.reports.exit_code import exit_code
from conformance.reports.outcome import outcome_sentence
from conformance.run.documents import Documents


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


class Drops(Service):
    """Forgets a request once it is completed."""

    def find(self, call: Call) -> DataRequest:
        for request in self.store.all():
            if request.completed_at(self.now()) is not None:
                self.store.remove(request.id)
        return super().find(call)


@pytest.mark.parametrize(
    ("service", "changes", "sentence"),
    [
        (StoresNothing, {}, "{0} created, 0 deleted, {0} not found at the end, 0 left behind."),
        (OneIdentifier, {}, "1 created, 0 deleted, 1 not found at the end, 0 left behind."),
        (DeletesNothing, {}, "{0} created, 0 deleted, {0} left behind."),
        (Drops, {"complete_after": 0.0}, "{0} created, 0 deleted, {0} not found at the end, 0 left behind."),
        (Service, {"complete_after": 0.0, "completed_readable": False}, "{0} created, {0} deleted, 0 left behind."),
    ],
)
def test_the_numbers_add_up(service: type[Service], changes: dict[str, Any], sentence: str) -> None:
    report = typed(Documents(run_over(config(**changes), bent(service), plan=only("2.1", "3", "4.3"))).data)

    created = f"{report.summary.created:,}"
    assert summary.traffic_sentence(report).partition("data requests: ")[2] == sentence.format(created)
    assert report.outcome is Outcome.DOES_NOT_CONFORM or service is Service


def test_a_selection_that_leaves_out_deletions_tells_what_may_be_left() -> None:
    report = typed(Documents(run_over(config(), bent(StoresNothing), plan=only("4.1-requested-types"))).data)

    assert (report.outcome, exit_code(report)) == (Outcome.INCONCLUSIVE, Exit.INCONCLUSIVE)
    assert report.summary.left_behind == 0
    assert "may still exist" in outcome_sentence(report)
