"""The notes of a report: what the reader must know about the run itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from conformance.facts.answers import REFUSING
from conformance.facts.due import due
from conformance.facts.world import Facts
from conformance.http.session import Session
from conformance.model.errors import NotDecided, describe, in_words, trouble_of, why_it_decides_nothing
from conformance.model.exchange import MISSING, Exchange, Operation, Superseded, redirect_of
from conformance.model.findings import Note
from conformance.model.identity import segment
from conformance.model.requirements import catalogue
from conformance.model.results import EXPIRED, UNUSED, RequirementResult, Waiver
from conformance.model.text import count, listed, shorten
from conformance.model.verdict import Blame, Verdict
from conformance.reports import again
from conformance.run.account import of_the_account
from conformance.run.conclusion import FinishedRun
from conformance.run.doctor import ONE_AT_A_TIME, shown
from conformance.run.preflight import Look
from conformance.run.visits import ON_PURPOSE, notes_on_left_request

SHOWN: Final = 5
"""How many of the requests that are left a note names."""


def of_the_run(run: FinishedRun) -> Iterator[Note]:
    """Yield all notes of a run. Where only its trace is known, they are those that follow from it."""
    report, session = run.report, run.frame.session
    if run.trace.conditions.is_recorded_traffic:
        yield Note(
            blame=Blame.CONFIGURATION,
            message="Another program made and recorded these calls. The suite made none, and cannot tell whether the "
            "recording is what the service answered.",
            remedy="To be sure, run 'drsi-conformance check' against the service.",
        )
    yield from notes_on_left_request(run.trace)
    yield from of_server_errors(run.trace.facts, report.requirements)
    if session is not None:
        yield from of_the_target(session, run.frame.seen, embedded=run.plan.target_kind == "embedded")
        yield from of_the_account(session)
        yield from run.plan.notes
        remedy = again.to_delete(run.plan.options, session.target.base_url)
        yield from of_the_end(session, interrupted=run.interrupted, remedy=remedy)
        if run.plan.leaves and session.journal.left is None:
            yield Note(
                blame=Blame.CONFIGURATION,
                message=f"No data request stays at the service {ON_PURPOSE}: the run ended early, or could make none "
                "that it saw in progress.",
            )
    yield from of_waivers(report.waivers)


def of_the_target(session: Session, seen: Look, *, embedded: bool) -> Iterator[Note]:
    """Yield the notes about the target, what the look before the run saw and expired tokens."""
    if embedded:
        yield Note(blame=Blame.SUITE, message="The target was the suite's own reference service.")
    for message in session.notes:
        yield Note(blame=Blame.SPECIFICATION, message=message)
    if selector := session.results.selector_denied:
        yield Note(
            blame=Blame.CONFIGURATION,
            message="--language-selector none confirms that no client can choose the language of GET /data, but "
            f"{selector} has an effect. The run uses it.",
            remedy=f"Give --language-selector {selector} instead of none.",
        )
    if session.record.one_at_a_time:
        yield Note(
            blame=Blame.CONFIGURATION,
            message=f"{ONE_AT_A_TIME[:1].upper()}{ONE_AT_A_TIME[1:]}. The run closed its connection after each call; "
            "calls that it sent at the same time waited for each other at the service.",
            remedy="To test simultaneous calls as well, run a server that serves several connections at a time.",
        )
    yield from _of_another_address(session)
    yield from _of_unread_bodies(session)
    expired = [each for each in session.record.in_order() if each.superseded is Superseded.EXPIRED]
    if expired:
        yield Note(
            blame=Blame.CREDENTIAL,
            message=f"{count(len(expired), 'answer')} 401 ({expired[0].id} the first) refused a token that "
            "a newer one then replaced, which was accepted: it probably expired, which is no fault of the service.",
            remedy="If the token was still valid, give it by value: then the refusal is a finding.",
        )
    yield from (each for each in shown(session, seen) if isinstance(each, Note))


def _of_another_address(session: Session) -> Iterator[Note]:
    """Yield another base_url to which the service redirects a creation; the suite does not follow it."""
    for exchange in session.record.in_order():
        there = redirect_of(exchange)
        if exchange.operation is not Operation.CREATE or there is None or not there.path.endswith("/requests"):
            continue
        base_url = str(there.copy_with(query=None)).removesuffix("/requests")
        if base_url != session.target.base_url:
            yield Note(
                blame=Blame.CONFIGURATION,
                message=f"{describe(exchange)} was answered {in_words(exchange)}. The suite does not follow a redirect "
                "of a POST.",
                remedy=f"If the service is there, give its address as base_url: {shorten(base_url)}.",
            )
            return


def _of_unread_bodies(session: Session) -> Iterator[Note]:
    """Yield that the service leaves refused bodies unread, so that it reads them as the next call."""
    misplaced = [each for each in session.record.in_order() if each.superseded is Superseded.MISPLACED]
    if not misplaced:
        return
    first = misplaced[0]
    yield Note(
        blame=Blame.TARGET,
        message="The service seems to leave the body of a call that it refuses unread, and to take it for the start "
        f"of the next call on the connection: {describe(first)} ({first.id}) got {trouble_of(first)}. On a new "
        "connection it got another answer. From then on the run used each connection once, and no requirement is "
        "judged by such a response.",
        remedy="Let the service read or discard the whole body before it answers, or close the connection after it "
        "refused a call (RFC 9112, 9.3): clients that keep connections get wrong answers. If two releases answer by "
        "turns, ignore this.",
    )


def of_the_end(session: Session, *, interrupted: bool, remedy: str = "") -> Iterator[Note]:
    """Yield whether the run is complete, and which requests remain or may remain at the service.

    `remedy` says how to delete them where that is another way than usual.
    """
    if interrupted:
        yield Note(blame=Blame.CONFIGURATION, message="The run was interrupted, so it is not complete.")
    if (over := session.clock.ended) is not None:
        yield Note(blame=over.blame, message=over.message, remedy=over.remedy)
    yield from left_behind(session, remedy)
    if lost := session.journal.lost:
        exchanges = session.record.in_order()
        asked = [each for one in lost.items() for each in _deletions(exchanges, *one)]
        is_answered = all(each.counts and not each.failed for each in asked)
        perhaps = "" if is_answered else " An earlier deletion got no usable answer, and may have removed them."
        yield Note(
            blame=Blame.TARGET if is_answered else Blame.NETWORK,
            message=f"The service answered 404 when the run deleted {count(len(lost), 'data request')} that it had "
            f"created. The report counts these as not found, neither as deleted nor as left behind.{perhaps}",
            remedy="If the service may still hold requests, look into the account and delete them.",
        )


def of_server_errors(facts: Facts, results: Iterable[RequirementResult]) -> Iterator[Note]:
    """Yield the server errors to calls whose answer is open: a run that conforms would not show them.

    Calls of a kind for which a finding accuses the service need no note.
    """
    failed = [each for each in facts.exchanges if each.failed and each.status not in REFUSING]
    if not failed:
        return
    findings = (each for row in results for each in row.findings)
    accusing = (each for each in findings if each.alert or each.verdict in (Verdict.FAIL, Verdict.WARN))
    named = {one for each in accusing for one in each.exchanges}
    accused = {(each.operation, each.intent.body) for each in failed if each.id in named}
    failed = [each for each in failed if (each.operation, each.intent.body) not in accused and not due(each, facts).by]
    calls = [each for each in failed if not each.repeats]
    if not calls:
        return
    examples: dict[str, str] = {}
    for each in calls:
        examples.setdefault(describe(each), each.id)
    kinds = Counter((in_words(each), each.operation.call if each.operation else each.path) for each in calls)
    yield Note(
        blame=Blame.TARGET,
        message=f"{count(len(calls), 'call')} got a server error where the specification states no answer: "
        f"{listed([f'{call} {status} ({number:,})' for (status, call), number in kinds.items()])}, such as "
        f"{listed([f'{call} ({id})' for call, id in examples.items()][:_EXAMPLES])}.",
        remedy=catalogue()["0-server-errors"].remedy,
        exchanges=tuple(each.id for each in calls),
        traceback=next((each.raised for each in failed if each.raised), ""),
    )


_EXAMPLES: Final = 3
"""How many different calls a note shows."""


def of_waivers(waivers: Iterable[Waiver]) -> Iterator[Note]:
    """Yield the waivers that are stale."""
    for waiver in waivers:
        if waiver.state == EXPIRED:
            yield Note(
                blame=Blame.CONFIGURATION,
                message=f"The waiver of {waiver.owner} for {waiver.requirement} expired: its last day was "
                f"{waiver.expires}.",
                remedy="Remove it from the file of waivers, or agree on a new date.",
            )
        elif waiver.state == UNUSED:
            limited = f" that matches {waiver.finding!r}" if waiver.finding else ""
            yield Note(
                blame=Blame.CONFIGURATION,
                message=f"The waiver of {waiver.owner} for {waiver.requirement} is unused: the run decided the "
                f"requirement, and found no failure{limited}.",
                remedy="Remove it from the file of waivers.",
            )


def left_behind(session: Session, remedy: str = "") -> Iterator[Note]:
    """Yield the requests that the run could not delete, by reason, and how to delete them; `remedy` as above."""
    journal, exchanges = session.journal, session.record.in_order()
    by_reason: dict[tuple[Blame, str, bool], list[str]] = {}
    for request_id, owner in journal.live.items():
        if request_id != journal.left:
            blame, why = _explanation(exchanges, request_id, owner)
            is_nameable = address_of(session, request_id) is not None
            by_reason.setdefault((blame, why, is_nameable), []).append(request_id)
    for (blame, why, is_nameable), ids in by_reason.items():
        named = [one if is_nameable else shorten(repr(one), 80) for one in ids[:SHOWN]]
        more = f", and {len(ids) - SHOWN} more, which the journal names" if len(ids) > SHOWN else ""
        asked = bool(_deletions(exchanges, ids[0], journal.live[ids[0]]))
        address = address_of(session, ids[0]) if len(ids) == 1 else f"{session.target.base_url}/requests/{{requestId}}"
        yield Note(
            blame=blame,
            message=f"{count(len(ids), 'data request')} of this run could not be deleted: {why}. By identifier: "
            f"{', '.join(named)}{more}.",
            remedy=remedy or how_to_delete(blame, address if is_nameable else "", asked=asked),
        )
    if perhaps := session.journal.unknown:
        yield Note(
            blame=Blame.TARGET,
            message=f"{count(perhaps, 'creation')} may have left a request behind that this run cannot name.",
            remedy="Look into the account for open requests.",
        )


def _deletions(exchanges: Iterable[Exchange], request_id: str, owner: str | None) -> list[Exchange]:
    """Return the deletions of a request that its owner asked for, in the order of `exchanges`."""
    return [
        each
        for each in exchanges
        if each.operation is Operation.DELETE and each.request.credential == owner and each.request_id == request_id
    ]


def _explanation(exchanges: Sequence[Exchange], request_id: str, owner: str | None) -> tuple[Blame, str]:
    """Return the blame for a request that was not deleted, and in words the answer to its last deletion."""
    asked = _deletions(exchanges, request_id, owner)
    if not asked:
        return Blame.TARGET, "no deletion could be sent, or none was yet"
    answer = asked[-1].response
    if answer is None or not asked[-1].counts:
        blame, _ = why_it_decides_nothing(asked[-1])
        return blame, f"the deletion got no usable answer ({trouble_of(asked[-1])})"
    what = f"the deletion was answered {in_words(asked[-1])}"
    if 200 <= answer.status < 300 or answer.status in MISSING:
        what += ", yet it could be read afterwards"
    if answer.status not in (401, 403):
        return Blame.TARGET, what
    perhaps = "; the token may have expired" if answer.status == 401 else ""
    return Blame.CREDENTIAL, f"{what}{perhaps}"


def how_to_delete(blame: Blame, address: str | None, *, asked: bool) -> str:
    """Return what to do about what is left; the call that was just refused is no advice."""
    if not address:
        return "Let those who run the service delete it: no path of a call can contain such an identifier."
    if asked and blame is Blame.TARGET:
        return (
            f"DELETE {address} deletes nothing: let those who run the service delete it, or correct what 3-removed "
            "or 4.3-answers-ok says and use 'drsi-conformance cleanup'."
        )
    token = " and a valid token of the same account" if blame is Blame.CREDENTIAL else ""
    return f"To delete it: 'drsi-conformance cleanup'{token}, or by hand DELETE {address}"


def address_of(session: Session, request_id: str) -> str | None:
    """Return the address of a request for any client; None if the identifier cannot be sent."""
    try:
        return f"{session.target.base_url}/requests/{segment(request_id)}"
    except NotDecided:
        return None
