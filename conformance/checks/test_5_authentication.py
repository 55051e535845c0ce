"""Clause 5: the operations on data requests require a valid token; settings and data types require none."""

from __future__ import annotations

from collections import Counter

from conformance.checks.marks import Observe, each, last, requirement
from conformance.client import expect
from conformance.client.public import PublicClient, assert_in_some_language
from conformance.client.user import UserClient, accepted
from conformance.model.error_table import (
    KNOWN_CREDENTIALS,
    LIMIT_REACHED,
    MORE_RIGHTS,
    NOT_FOUND,
    ODD_BEARER,
    ON_DATA_REQUESTS,
    names_a_missing_right,
)
from conformance.model.errors import NotDecided, answer_of, describe, not_applicable
from conformance.model.exchange import MISSING, Exchange, Operation, is_missing, request_id_of
from conformance.model.headlines import wrong_status
from conformance.model.identity import ANONYMOUS, USER
from conformance.model.probe import Probe, must_answer
from conformance.model.text import shorten
from conformance.model.verdict import Blame
from conformance.rules.statuses import finds_a_request
from conformance.scenarios.basic import deletion, for_one_type
from conformance.scenarios.credentials import (
    ByAnother,
    Doubtful,
    Refusals,
    by_another_alone,
    refused_requests_alone,
)


@requirement("5.3-create-without-token")
def test_creating_without_a_token(refused_creations: Refusals) -> None:
    """Creation without a token answers 401, whether or not the rest of the call is correct."""
    for exchange in refused_creations.without:
        expect.status(exchange, 401)


@each("operation", {"5.3-read-without-token": Operation.READ, "5.3-delete-without-token": Operation.DELETE})
def test_without_a_token(refused_requests: dict[Operation, Refusals], operation: Operation) -> None:
    """The operation without a token answers 401, whether or not the rest of the call is correct."""
    for exchange in refused_requests[operation].without:
        expect.status(exchange, 401)


@requirement("5.3-create-with-bad-token")
def test_creating_with_a_token_that_is_not_accepted(refused_creations: Refusals) -> None:
    """Creation answers 401 to every credential that is not the token of a user."""
    for exchange in refused_creations.other_tokens:
        expect.status(exchange, 401)
    _assert_not_handled(refused_creations)


@each("operation", {"5.3-read-with-bad-token": Operation.READ, "5.3-delete-with-bad-token": Operation.DELETE})
def test_with_a_token_that_is_not_accepted(refused_requests: dict[Operation, Refusals], operation: Operation) -> None:
    """The operation answers 401 to every credential that is not the token of a user."""
    for exchange in refused_requests[operation].other_tokens:
        expect.status(exchange, 401)
    _assert_not_handled(refused_requests[operation])


def _assert_not_handled(refusals: Refusals) -> None:
    """Assert that a credential with characters that no token has is not taken for a user's, and fails no call twice.

    RFC 6750 allows them in no token, so a server may refuse them in its own words, or close the connection.
    """
    for exchange in refusals.bad:
        answer = exchange.response
        if exchange.request.credential != ODD_BEARER or answer is None or exchange.error is not None:
            continue
        shown = answer.status, *(expect.member(exchange, name) for name in ("error", "message"))
        of_a_user = shown in _OF_A_USER or finds_a_request(exchange, answer)
        if of_a_user or (answer.status == 500 and exchange.repeats):
            # A script accepts every other refusal. Of several with 400 it cannot tell which is that of a user.
            probe = None if answer.status == 400 else Probe(kind="other-status", values=(str(answer.status),))
            message = wrong_status(exchange, answer.status, "401")
            raise expect.violated(message, "status 401", exchange, probe=probe, remedy=_TAKE_ANY_TEXT)


_TAKE_ANY_TEXT = "Give the token to SQL as a parameter, compare it as bytes, and answer 401 to every other text."
_OF_A_USER = [(row.status, row.error, row.message) for row in (LIMIT_REACHED, NOT_FOUND)]
"""The refusals that only a user receives for known types, or for an existing request."""


@requirement("5.3-letter-case")
def test_the_token_in_the_other_letter_case_is_another_token(
    refused_creations: Refusals, refused_requests: dict[Operation, Refusals]
) -> None:
    """No operation accepts the user's token with upper and lower case swapped."""
    answers = [each for one in (refused_creations, *refused_requests.values()) for each in one.in_other_case]
    if not answers:
        raise not_applicable("token-without-letters", "The user's token has no letters.")
    for exchange in answers:
        expect.status(exchange, 401)


@requirement("5.1-accepts-bearer")
def test_the_token_is_accepted_by_all_three_operations(service: UserClient) -> None:
    """Creation, reading and deletion do not answer 401 to the token as Authorization: Bearer."""
    heard = {operation: _of_user(service, operation) for operation in ON_DATA_REQUESTS}
    if not all(heard.values()):
        creation = service.post(service.first_types(1))
        created = service.created_if_possible(creation)
        request_id = created.request_id if created else service.some_uuid()
        heard[Operation.CREATE].append(creation)
        heard[Operation.READ].append(service.read(request_id))
        heard[Operation.DELETE].append(service.delete(request_id))

    forbidden: list[Exchange] = []
    for answers in heard.values():
        refused = [exchange for exchange in answers if answer_of(exchange).status in (401, 403)]
        if refused != answers:
            continue
        if answer_of(refused[-1]).status == 403:
            forbidden.append(refused[-1])
            continue
        message = f"{describe(refused[-1])} answered 401 with a token that other operations accept."
        raise expect.violated(message, "the service accepts the token", refused[-1], probe=must_answer(200))
    if forbidden and forbidden[0].intent.request == "unknown" and not names_a_missing_right(forbidden[0]):
        raise NotDecided(
            f"{describe(forbidden[0])} answered 403 where 404 is due, which need not concern the token.",
            remedy="See 7-not-found.",
            exchanges=forbidden,
        )
    if forbidden:
        raise NotDecided(
            f"{describe(forbidden[0])} answered 403 with a token that other operations accept: this token may lack the "
            "right to it.",
            blame=Blame.CREDENTIAL,
            remedy=MORE_RIGHTS,
            exchanges=forbidden,
        )


def _of_user(service: UserClient, operation: Operation) -> list[Exchange]:
    """Return the answered calls of the user that the service should accept."""
    good = ("existing", "clean-up", "known types", "omitted")
    return [
        exchange
        for exchange in service.record.answered(operation)
        if exchange.request.credential == USER.label and (exchange.intent.request or exchange.intent.body) in good
    ]


@requirement("5.4-settings-without-token")
def test_settings_need_no_token(public_client: PublicClient) -> None:
    """GET /settings does not require a token."""
    _is_open(public_client, _asked(public_client, Operation.SETTINGS) or public_client.settings())


@requirement("5.4-data-without-token")
def test_data_needs_no_token(public_client: PublicClient) -> None:
    """GET /data does not require a token."""
    _is_open(public_client, _asked(public_client, Operation.DATA) or public_client.data())


def _asked(public_client: PublicClient, operation: Operation) -> Exchange | None:
    """Return the latest answered call of the run without token and language, if there is one."""
    for exchange in reversed(public_client.record.answered(operation)):
        if (
            exchange.request.credential == ANONYMOUS.label
            and exchange.intent.language is None
            and not exchange.redirected_to
        ):
            return exchange
    return None


def _is_open(public_client: PublicClient, exchange: Exchange) -> None:
    status = answer_of(exchange).status
    if public_client.asks_for_a_token(exchange):
        expect.status(exchange, 200)
    assert_in_some_language(exchange)
    if status != 200:
        raise NotDecided(
            f"{describe(exchange)} answered {status}, for another reason than the token.",
            remedy=f"See {'4.4' if exchange.operation is Operation.SETTINGS else '4.5'}-answers-200.",
            exchanges=[exchange],
        )


@last
@requirement("5.3-www-authenticate")
def test_a_401_may_carry_a_challenge(public_client: PublicClient, observe: Observe) -> None:
    """Shows whether the 401s of the run carry WWW-Authenticate."""
    if not _met(public_client):
        public_client.read(public_client.some_uuid())
    if not (met := _met(public_client)):
        raise not_applicable("", "The service sent no 401.")
    challenges = Counter(answer_of(exchange).header("www-authenticate") for exchange in met)
    for challenge, count in challenges.items():
        example = next(each for each in met if answer_of(each).header("www-authenticate") == challenge)
        carried = f"WWW-Authenticate {challenge!r}" if challenge else "no WWW-Authenticate"
        observe(f"{count} of {len(met)} answers 401 have {carried}.", example)


def _met(public_client: PublicClient) -> list[Exchange]:
    return [exchange for operation in ON_DATA_REQUESTS for exchange in public_client.record.answered(operation, 401)]


@requirement("5-credential-forms")
def test_every_operation_by_every_form_of_a_credential(
    refused_creations: Refusals,
    refused_requests: dict[Operation, Refusals],
    doubtful_credentials: Doubtful,
    observe: Observe,
) -> None:
    """Shows the statuses of creation, reading and deletion for each form of a credential."""
    columns = [refused_creations, refused_requests[Operation.READ], refused_requests[Operation.DELETE]]
    rows = [[column.without[0] for column in columns], *zip(*(column.bad[:-1] for column in columns), strict=True)]
    alike: dict[tuple[object, ...], list[Exchange]] = {}
    for exchanges in [*rows, *doubtful_credentials.values()]:
        statuses = tuple(each.response.status if each.response else "no answer" for each in exchanges)
        alike.setdefault(statuses, []).append(exchanges[0])
    for statuses, forms in alike.items():
        named = "; ".join(each.request.credential for each in forms)
        observe(f"{', '.join(map(str, statuses))} to creation, reading and deletion with: {named}.", *forms)


@requirement("5-token-in-query")
def test_a_token_in_the_query_may_be_accepted(
    without_token: list[Exchange], doubtful_credentials: Doubtful, observe: Observe
) -> None:
    """Raises an alert if the service accepts a token in the query."""
    answers = next(answers for caller, answers in doubtful_credentials.items() if caller.query)
    statuses = [answer_of(exchange).status for exchange in answers]
    told = ", ".join(map(str, statuses))
    open_to_all = {each.operation for each in without_token if answer_of(each).status != 401}
    in_query = [each for each, usual in zip(answers, _FOR_A_USER, strict=True) if answer_of(each).status in usual]
    refused = [each for each in answers if answer_of(each).status in (401, 403)]
    shown = [each for each in in_query if each.operation not in open_to_all]
    shown.sort(key=lambda each: each.operation is not Operation.READ)  # the report shows how to repeat the first one
    # Other statuses do not show whether the token was accepted: the service may refuse every query parameter.
    if shown and len(in_query) + len(refused) == len(answers):
        observe(
            f"The service accepts a token in the query (access_token): {told} for creation, reading and deletion, with "
            "an unknown type and requests that do not exist, and 401 without a token. Logs and browser histories keep "
            "URLs and with them the token.",
            *shown,
            alert=True,
        )
    else:
        observe(f"The service accepts no token in the query: {told} for creation, reading and deletion.", *answers)


@last
@requirement("5-session-cookie")
def test_a_session_cookie_may_replace_the_token(
    without_token: list[Exchange], session_cookie: list[Exchange], observe: Observe
) -> None:
    """Raises an alert if cookies that the service sets open an operation without a token."""
    if not session_cookie:
        observe("The service sets no cookie for the user that could name a session.")
        return
    open_to_all = {each.operation for each in without_token if answer_of(each).status != 401}
    accepting = zip(session_cookie, ((200, 400), (200,), (200,)), strict=True)
    opened = [each for each, usual in accepting if answer_of(each).status in usual]
    opened = [each for each in opened if each.operation not in open_to_all]
    told = ", ".join(str(answer_of(each).status) for each in session_cookie)
    if opened:
        observe(
            f"The service accepts a cookie that it set in place of the token: {told} for creation of an unknown type, "
            "reading and deletion, and 401 without both. A browser sends it also when another site makes the call.",
            *opened,
            alert=True,
        )
    else:
        message = f"The service accepts no cookie in place of the token: {told} for creation, reading and deletion."
        observe(message, *session_cookie)


_FOR_A_USER = ((200, 400), (200, 404), (200, 404))
"""The statuses of creation, reading and deletion for a user, with an unknown type or a request that does not exist."""


@requirement("5-token-over-http")
def test_tokens_may_travel_without_encryption(service: UserClient, observe: Observe) -> None:
    """Raises an alert if tokens are sent over plain http to another machine."""
    target = service.session.target
    sent = [exchange for exchange in service.record.in_order() if exchange.request.credential == USER.label]
    if target.is_https:
        observe("The tokens are sent over https.", *sent[:1])
    elif target.is_loopback:
        observe("The tokens are sent over http; the service runs on this machine.", *sent[:1])
    else:
        message = "The tokens are sent over plain http: everyone on the network path can read and use them."
        observe(message, *sent[:1], alert=True)


@requirement("5-isolation")
def test_one_user_may_see_the_requests_of_another(service: UserClient, by_another: ByAnother, observe: Observe) -> None:
    """Raises an alert if a second user can read or delete the first user's request."""
    found = by_another
    if found.removed and not accepted(found.deleted):
        found = by_another_alone.result(service)  # a simultaneous call may have removed it
    read, deleted, after = found.read, found.deleted, found.after
    can_read, can_delete = answer_of(read).status == 200, _was_removed(service, found)
    could = [word for word, can in (("read", can_read), ("delete", can_delete)) if can]
    if could:
        lost = f", and it was gone after a DELETE that answered {answer_of(deleted).status}" if can_delete else ""
        observe(
            f"Another user could {' and '.join(could)} the request of the first user{lost}: users are not isolated.",
            *([read] if can_read else []),
            *([deleted, after, found.released] if can_delete else []),
            alert=True,
        )
    else:
        observe(
            f"Another user could not read the request of the first user ({answer_of(read).status}). The DELETE by that "
            f"user answered {answer_of(deleted).status}, and the DELETE by the first user afterwards answered "
            f"{answer_of(found.released).status}.",
            read,
            deleted,
            found.released,
        )


def _was_removed(service: UserClient, found: ByAnother) -> bool:
    """Whether the request is gone after the second user's deletion.

    A 404 shows nothing if the first user cannot delete or read any request.
    """
    if found.removed:
        return accepted(deletion.result(service).deleted)
    if not accepted(found.deleted) or answer_of(found.after).status not in MISSING:
        return False
    own = for_one_type.result(service).reading
    return answer_of(found.read).status == 200 or (own is not None and answer_of(own).status == 200)


@requirement("5-existence-shown")
def test_another_user_may_learn_that_a_request_exists(by_another: ByAnother, observe: Observe) -> None:
    """Raises an alert if a second user is answered otherwise for the first user's request than for an absent one."""
    pairs = list(zip((by_another.read, by_another.deleted), by_another.absent, strict=True))
    differing = [pair for pair in pairs if _refusal(pair[0]) != _refusal(pair[1])]
    if not differing:
        observe("Another user is answered alike for the request of the first user and for an absent one.", *pairs[0])
    elif any(accepted(existing) for existing, _ in pairs):
        observe("Another user has access to the request of the first user. See 5-isolation.", *differing[0])
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


def _refusal(exchange: Exchange) -> tuple[object, ...]:
    """Return what a client compares: the status, and the members that the interface defines (2.4).

    A text may repeat the identifier that was asked for, which tells nothing.
    """
    asked = request_id_of(exchange)
    texts = (expect.member(exchange, name) for name in ("error", "message"))
    return answer_of(exchange).status, *(str(text).replace(asked, "") for text in texts)


def _in_short(exchange: Exchange) -> str:
    error = expect.member(exchange, "error")
    return f"{answer_of(exchange).status}{f' {shorten(error, 40)}' if isinstance(error, str) else ''}"


@last
@requirement("7-other-errors")
def test_other_errors_are_shown(service: UserClient, observe: Observe) -> None:
    """Shows which statuses of the run are not in the table of errors."""
    seen = {each.response.status: each for each in service.record.in_order() if each.response}
    others = sorted((status, exchange) for status, exchange in seen.items() if status not in (200, 400, 401, 404))
    for status, exchange in others:
        observe(f"{describe(exchange)} answered {status}.", exchange)
    if not others:
        observe("Every status of the run was 200, 400, 401 or 404.")


@requirement("5.3-rejected-delete-deletes-nothing")
def test_a_rejected_deletion_deletes_nothing(service: UserClient, refused_requests: dict[Operation, Refusals]) -> None:
    """A request remains after deletions without a token and with invalid tokens."""
    deletions = service.record.answered(Operation.DELETE)
    if not any(accepted(each) for each in deletions if each.request.credential in KNOWN_CREDENTIALS):
        control = service.delete(service.create().request_id)
        if not accepted(control):
            raise NotDecided("A deletion with the token was refused. See 4.3-answers-ok.", exchanges=[control])
    found = refused_requests[Operation.DELETE]
    if found.afterwards is not None and is_missing(found.afterwards):
        found = refused_requests_alone.result(service)[Operation.DELETE]  # a simultaneous call may have removed it
    rejected, gone = found.without[::2] + found.bad[:-1], found.afterwards
    if gone is not None and is_missing(gone):
        raise expect.violated(
            "A deletion without a valid token removed the request: deleting it with the token does not find it.",
            "the request still exists",
            *(gone, *rejected),
            probe=must_answer(200),
        )
