"""Alternative causes: other facts of the run that explain a finding, which then is inconclusive.

A cause explains only its own effects: a refused token a 401, a shared identifier a 404 or an unexpected 200, a lost
request a 404. Other violations in the same response still count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from conformance.model.errors import NotDecided, describe
from conformance.model.exchange import Exchange, is_missing, request_id_of
from conformance.model.findings import CheckResult, Finding
from conformance.model.requirements import Requirement
from conformance.model.verdict import Blame, Verdict
from conformance.rules.every_exchange import REMOVING, Loss, unexplained
from conformance.rules.hidden import hidden
from conformance.rules.run_context import RunContext

_DUE_TO_DELETIONS: Final = frozenset(["3-deletes-completed", "4.3-answers-ok"])
"""Requirements on every deletion of an existing request."""

_NAMING_THE_REQUEST: Final = frozenset(["5.3-rejected-delete-deletes-nothing"])
"""Those of REMOVING whose calls name the request that they remove."""

_SHOWN_BY_ABSENCE: Final = _DUE_TO_DELETIONS | REMOVING.keys() | {"3-removed-in-parallel", "4.2-answers-200"}
"""Requirements that a missing request can violate. The call that removed it does not matter."""

_TOLD_BY_IDENTIFIER: Final = (_SHOWN_BY_ABSENCE - {"4.1-creates-in-parallel"}) | frozenset(
    ["3-removed", "4.2-agrees-with-creation"]
)
"""Requirements on one request, which only its identifier distinguishes from others."""

ON_SIMULTANEOUS_CALLS: Final = frozenset(
    [
        "3-frees-the-limit-in-parallel",
        "3-removed-in-parallel",
        "4.1-creates-in-parallel",
        "4.2-answers-while-deleted",
        "8-limit-enforced-in-parallel",
    ]
)
"""Requirements that judge what simultaneous calls provoke."""


@dataclass(frozen=True)
class AlternativeCauses:
    """Facts of the whole run that can explain findings of single checks."""

    known: RunContext
    losses: Sequence[Loss]
    removing: frozenset[str]
    """Requirements whose violation explains lost requests; one whose calls name these may be undecided."""
    hidden: Exchange | None
    """A reading that found nothing of a request that a later deletion found."""

    @classmethod
    def of(
        cls, said: Sequence[CheckResult], exchanges: Sequence[Exchange], known: RunContext, losses: Sequence[Loss]
    ) -> AlternativeCauses:
        """Gather the causes that `exchanges` and the findings of the checks show."""
        violated = {
            result.requirement.id
            for result in said
            if any(finding.verdict is Verdict.FAIL for finding in result.findings)
        }
        undecided = {result.requirement.id for result in said if result.verdict is Verdict.INCONCLUSIVE}
        readable = any(each.requirement.id == "4.2-answers-200" and each.verdict is Verdict.PASS for each in said)
        suspected = REMOVING.keys() & violated | _NAMING_THE_REQUEST & undecided
        removing = frozenset(each for each in suspected if not _lost_without(losses, each))
        return cls(
            known=known,
            losses=losses,
            removing=removing,
            hidden=hidden(exchanges, known) if readable else None,
        )

    def doubt(self, row: Requirement) -> NotDecided | None:
        """Return why the run cannot show that `row` is satisfied, although no check found a violation."""
        if row.id == "4.2-answers-200" and self.hidden is not None:
            return NotDecided(
                f"{describe(self.hidden)} found nothing, although POST had shown the request in progress and a later "
                "DELETE by its user answered 200. It may have completed in between, but another request stayed in "
                "progress for longer.",
                remedy="Find out why the service did not show this request. A completed one need not be readable: keep "
                "requests in progress during the run, and run again.",
                exchanges=[self.hidden],
            )
        if row.id not in _TOLD_BY_IDENTIFIER or not self.known.shared:
            return None
        return NotDecided(
            "The service gave several requests one requestId, so the responses cannot be assigned to requests.",
            remedy="See 2.1-requestId-unique.",
        )

    def explain(self, finding: Finding[Exchange], row: Requirement) -> NotDecided | None:
        """Return why a violation with exchanges decides nothing, or None."""
        return (
            self._provoked(finding, row)
            or self._identifier_shared(finding, row)
            or self._removed_by_another_violation(finding, row)
        )

    def _provoked(self, finding: Finding[Exchange], row: Requirement) -> NotDecided | None:
        """The suite's simultaneous calls provoked a 409 or 423, which only the requirements on such calls judge."""
        if finding.exchanges[0].id not in self.known.conflicts or row.id in ON_SIMULTANEOUS_CALLS:
            return None
        return NotDecided(
            f"{finding.message} Other calls of the suite were in progress at that moment.",
            blame=Blame.CONFIGURATION,
            remedy=f"See {', '.join(sorted(ON_SIMULTANEOUS_CALLS))}, and run again with --concurrency 1.",
        )

    def _identifier_shared(self, finding: Finding[Exchange], row: Requirement) -> NotDecided | None:
        """Several requests have one identifier, and the response may be about another of them."""
        if row.id not in _TOLD_BY_IDENTIFIER:
            return None
        for shown in finding.exchanges:
            if shown.id in self.known.uncertain:
                return NotDecided(
                    f"The service gave several requests the requestId {request_id_of(shown)}, so this may concern "
                    f"another of them: {finding.message}",
                    remedy="See 2.1-requestId-unique.",
                )
        return None

    def _removed_by_another_violation(self, finding: Finding[Exchange], row: Requirement) -> NotDecided | None:
        """The request was missing for a reason that another requirement judges."""
        missing = [shown for shown in finding.exchanges if is_missing(shown)]
        if row.id not in _SHOWN_BY_ABSENCE or not missing:
            return None
        if row.id in REMOVING and row.id not in self.removing:
            plain = _lost_without(self.losses, row.id)[0].missing.id
            message = f"{finding.message} Requests are also lost without such a call ({plain})."
            return NotDecided(message, remedy="See 4.3-answers-ok.")
        mine = [loss for loss in self.losses if loss.missing in missing]
        others = self.removing - {row.id}
        if any(shown.intent.request == "deleted" and _is_accepted(shown) for shown in finding.exchanges):
            return None  # the named request still exists: that deletion removed the other one
        if others and not unexplained(mine, others):
            causes = ", ".join(sorted(others))
            message = f"Violations of {causes} remove requests, so they can explain this: {finding.message}"
            return NotDecided(message, remedy=f"See {causes}.")
        return None


def _is_accepted(exchange: Exchange) -> bool:
    return exchange.response is not None and exchange.response.status == 200


def _lost_without(losses: Sequence[Loss], requirement: str) -> list[Loss]:
    """Return the losses without a preceding call that `requirement` judges."""
    return [loss for loss in losses if not loss.suspects[requirement]]
