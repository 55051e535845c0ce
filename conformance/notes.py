"""What a reader of the report has to know about the run itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.expect import Undecided, shorten
from conformance.reports.result import Note, RequirementResult
from conformance.session import Session, segment
from conformance.verdict import Blame, Level, Verdict


def of_what_is_left(session: Session) -> Iterator[Note]:
    """Say which requests the run made and could not delete, and how each can be deleted by hand."""
    for request_id in session.journal.live:
        address = address_of(session, request_id)
        named = request_id if address else f"with the identifier {shorten(repr(request_id), 80)}"
        yield Note(
            blame=Blame.TARGET,
            message=f"The data request {named} was created by this run and could not be deleted.",
            remedy=f"Delete it by hand: DELETE {address}"
            if address
            else "Let those who run the service delete it: its identifier cannot be sent in the path of a call.",
        )
    if session.journal.unknown:
        yield Note(
            blame=Blame.TARGET,
            message=f"{session.journal.unknown} creations may have left a request behind that this run cannot name.",
            remedy="Look into the account for open requests.",
        )


def address_of(session: Session, request_id: str) -> str | None:
    """Return the address of a request, as it can be given to any client; None where the identifier cannot be sent."""
    try:
        return f"{session.target.base_url}/requests/{segment(request_id)}"
    except Undecided:
        return None


def of_a_selection(asked: Iterable[RequirementResult]) -> Iterator[Note]:
    """Say why nothing was decided where what was `asked` for holds no demand, or none that came up."""
    demands = [row for row in asked if row.level is Level.MUST]
    if not demands:
        yield Note(
            blame=Blame.CONFIGURATION,
            message="Nothing that the specification demands was selected, only what it recommends or leaves open: "
            "there was nothing by which the service could be judged.",
            remedy="See the verdicts of what was selected; for an outcome, select a requirement of level must as well.",
        )
    elif all(row.verdict is Verdict.NOT_APPLICABLE for row in demands):
        yield Note(
            blame=Blame.CONFIGURATION,
            message="The service gave no occasion for any demand that was selected, so that it could not be judged.",
            remedy="Select more than that, or nothing, so that everything is looked at.",
        )
