"""Clause 5: what other users, and callers without a valid token, can do to a user's requests."""

from __future__ import annotations

from conformance.checks.marks import Observe, needs, requirement, traces
from conformance.facts.answers import accepted, succeeded
from conformance.judge import expect
from conformance.judge.guards import doubt
from conformance.judge.identifiers.sample import observed_ids
from conformance.judge.run import Run
from conformance.model.account import scalars, texts
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import SUCH_AS, NotDecided, answer_of, describe, in_words, must_answer
from conformance.model.exchange import MISSING, Exchange, Operation, is_missing, is_missing_again
from conformance.model.formats import is_uuid, uuids_in
from conformance.model.identity import ANONYMOUS, OTHER_USER, USER
from conformance.model.text import count, shorten
from conformance.scenarios.credentials import ByAnother


@needs("deletion_or_reason", "creations_or_reason")
@requirement("5-isolation")
@traces("""
    FAIL by_another.read: other GET r1       -> 200
    PASS by_another.read: other GET r1       -> 404
         by_another.deleted: other DELETE r1 -> 404
         by_another.absent: other GET r9     -> 404
         by_another.absent: other DELETE r9  -> 404
         by_another.after: GET r1            -> 200
         by_another.released: DELETE r1      -> 200 OK
""")
def test_one_user_may_see_the_requests_of_another(run: Run, by_another: ByAnother, observe: Observe) -> None:
    """Raises an alert if a second user can read or delete the first user's request, or is shown the same account."""
    read, deleted, released = by_another.read, by_another.deleted, by_another.released
    asked = [read, *(each for each in run.record.answered(Operation.READ) if each.intent.request == "foreign")]
    if shown := next((each for each in asked if succeeded(each) and _shows_what_was_asked_for(each)), None):
        read = shown
    can_read = shown is not None or (succeeded(read) and not _is_answered_as_absent(by_another))
    can_delete = _was_removed(run, by_another)
    could = [word for word, can in (("read", can_read), ("delete", can_delete)) if can]
    accounts = _the_same_account(run)
    if could:
        lost = f", and it was gone after a DELETE that answered {answer_of(deleted).status}" if can_delete else ""
        observe(
            f"Another user could {' and '.join(could)} the request of the first user{lost}: users are not isolated.",
            *([read] if can_read else []),
            *([deleted, by_another.after, released] if can_delete else []),
            alert=True,
        )
    elif accounts:
        observe(
            "GET /data/me shows both users the same account, with an address or identifier: unless that is the "
            "organisation's, users are not isolated.",
            *accounts,
            alert=True,
        )
    elif named := _names_what_is_anothers(run):
        observe("An answer names a request or the token of another user: users are not isolated.", named, alert=True)
    else:
        observe(
            f"Another user could not read the request of the first user ({answer_of(read).status}). The DELETE by that "
            f"user answered {answer_of(deleted).status}, and the DELETE by the first user afterwards answered "
            f"{answer_of(released).status}.",
            *(read, deleted, released),
        )


def _the_same_account(run: Run) -> list[Exchange]:
    """Return answers of GET /data/me to two users that show one account, with an address or identifier of one user.

    The accounts of two users may be equal where nothing in them tells users apart, such as an address of the settings.
    """
    shown = {each.request.credential: each for each in run.record.answered(Operation.DATA_ME, 200)}
    both = [shown[user.label] for user in (USER, OTHER_USER) if user.label in shown]
    mine, *others = [each.member("account") for each in both] or [None]
    of_all = {
        text for each in run.record.answered(Operation.SETTINGS, 200) for text in texts(answer_of(each).document.value)
    }
    is_of_one = any("@" in text or is_uuid(text) for _, text in scalars(mine) if text not in of_all)
    return both if is_of_one and others == [mine] else []


def _names_what_is_anothers(run: Run) -> Exchange | None:
    """Return an answer with an identifier of another user that the call does not name, or with another's token."""
    mine, others = (
        {str(each.id) for each, _ in observed_ids(run.record.exchanges, user.label)} for user in (USER, OTHER_USER)
    )
    foreign = {USER.label: others - mine, OTHER_USER.label: mine - others}
    for each in run.record.exchanges:
        caller, text = each.request.credential, "" if each.response is None else each.response.text
        of_another = foreign.get(caller, set()) - {each.request_id.lower()}
        # A record has a mark in place of a token; that of another caller may hold an altered one.
        sends_its_own = caller in (ANONYMOUS.label, *foreign)
        marks = [mark for label, mark in KNOWN_CREDENTIALS.items() if sends_its_own and label != caller]
        if any(f"[{mark}" in text for mark in marks) or not of_another.isdisjoint(uuids_in(text)):
            return each
    return None


def _shows_what_was_asked_for(read: Exchange) -> bool:
    """Whether an answer shows the identifier in its path: then it is a reading, however absent ones are answered."""
    shown = read.member("requestId")
    return isinstance(shown, str) and shown.lower() == read.request_id.lower()


def _is_answered_as_absent(found: ByAnother) -> bool:
    """Whether the second user's reading got the answer for an absent request, such as null: it shows nothing."""
    absent = found.absent[0].response
    return absent is not None and absent.content == answer_of(found.read).content


def _was_removed(run: Run, found: ByAnother) -> bool:
    """Whether the request is gone after the second user's deletion.

    A 404 shows nothing if the first user cannot delete or read any request.
    """
    if is_missing(found.released) and not is_missing_again(found.released):
        return _answers_the_user(run, Operation.DELETE)
    if not accepted(found.deleted.response) or answer_of(found.after).status not in MISSING:
        return False
    return answer_of(found.read).status == 200 or _answers_the_user(run, Operation.READ)


def _answers_the_user(run: Run, operation: Operation) -> bool:
    return any(each.request.credential == USER.label for each in run.record.answered(operation, 200))


@requirement("5-existence-shown")
@traces("""
    FAIL by_another.read: other GET r1       -> 400
    PASS by_another.read: other GET r1       -> 404
         by_another.deleted: other DELETE r1 -> 404
         by_another.absent: other GET r9     -> 404
         by_another.absent: other DELETE r9  -> 404
         by_another.after: GET r1            -> 200
         by_another.released: DELETE r1      -> 200 OK
""")
def test_another_user_may_learn_that_a_request_exists(run: Run, by_another: ByAnother, observe: Observe) -> None:
    """Raises an alert if a second user is answered otherwise for the first user's request than for an absent one."""
    pairs = list(zip((by_another.read, by_another.deleted), by_another.absent, strict=True))
    differing = [pair for pair in pairs if _refusal_of(pair[0]) not in _refusals_of_absent(run, pair[1])]
    if not differing:
        observe("Another user is answered alike for the request of the first user and for an absent one.", *pairs[0])
    elif any(succeeded(existing) for existing, _ in pairs):
        observe("Another user has access to the request of the first user.", *differing[0])
    elif reasons := [why for pair in differing for each in pair if (why := doubt(each, run.facts)) is not None]:
        raise reasons[0]
    else:
        told = "; ".join(
            f"{each.request.method} {_in_short(each)} and {_in_short(absent)}" for each, absent in differing
        )
        observe(
            "Another user can find out whether a request exists: the answers for a request of the first user and for "
            f"one that does not exist differ ({told}).",
            *differing[0],
            alert=True,
        )


def _refusal_of(exchange: Exchange) -> tuple[object, ...]:
    return expect.refusal(answer_of(exchange), exchange.request_id)


def _refusals_of_absent(run: Run, absent: Exchange) -> list[tuple[object, ...]]:
    """Return how such calls are refused for requests that do not exist: two releases may refuse by turns."""
    alike = run.record.answered(absent.operation) if absent.operation else []
    # What is no UUID may be refused in another way.
    unknown = [each for each in alike if each.intent.request == "unknown" and is_uuid(each.request_id)]
    return [_refusal_of(each) for each in (absent, *unknown) if each.request.credential in KNOWN_CREDENTIALS]


def _in_short(exchange: Exchange) -> str:
    said = [each for name in ("error", "message") if isinstance(each := exchange.member(name), str)]
    return f"{answer_of(exchange).status} {shorten(': '.join(said), 90).replace(SUCH_AS, '…')}".strip()


@requirement("5.3-rejected-delete-deletes-nothing")
@traces("""
         anonymous DELETE r1         -> 401
    FAIL refused_requests: DELETE r1 -> 404
    PASS refused_requests: DELETE r1 -> 200 OK
""")
def test_a_rejected_deletion_deletes_nothing(run: Run, refused_requests: Exchange) -> None:
    """A request remains after deletions without a token and with invalid tokens."""
    gone, request_id = refused_requests, refused_requests.request_id
    deletions = [each for each in run.record.answered(Operation.DELETE) if each.request_id == request_id]
    rejected = [each for each in deletions if each.request.credential not in KNOWN_CREDENTIALS]
    if not rejected:
        raise NotDecided("No deletion was sent without a valid token.")
    if is_missing_again(gone):
        message = f"{describe(gone)} was sent twice: the first one may have removed the request."
        raise NotDecided(message, exchanges=[gone])
    if is_missing(gone) and not run.facts.ledger.is_ambiguous(gone):
        raise expect.violated(
            f"After {count(len(rejected), 'deletion')} without a valid token, a deletion with the token does not find "
            "the request.",
            "the request still exists",
            *(gone, *rejected),
            probe=must_answer(200),
        )
    if not accepted(gone.response):
        raise NotDecided(f"Deleting the request with the token was answered {in_words(gone)}.", exchanges=[gone])
