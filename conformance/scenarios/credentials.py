"""The credential scenarios: every operation on data requests with every form of a credential (5).

The answer to an invalid credential is 401 (5.3). Forms that the specification does not mention are only shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle, islice

from conformance.client.api import Api
from conformance.facts.due import due
from conformance.http.cookies import cookie_header
from conformance.model.error_table import ON_DATA_REQUESTS, REFUSED_IN_OWN_WORDS
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation, is_missing, is_missing_again
from conformance.model.identity import ANONYMOUS, ANYTHING, AS_A_BROWSER, CHUNKED, OTHER_USER, USER, Identity
from conformance.model.verdict import Blame
from conformance.scenarios.registry import scenario
from conformance.scenarios.tokens import altered_tokens_of_another, doubtful_forms, no_tokens

Ask = Callable[[Identity], Exchange]
Asked = tuple[Ask, Identity]


@dataclass
class Refusals:
    """The answers of one operation to clients without a token, and to clients with an invalid one.

    Of `without` every other call, including the first, and all of `bad` concern an existing request.
    """

    without: list[Exchange] = field(default_factory=list)
    bad: list[Exchange] = field(default_factory=list)
    """One call with each invalid token."""
    odd: list[Exchange] = field(default_factory=list)
    """Calls with an invalid token that a user's token would have refused: for what does not exist, or malformed."""
    afterwards: Exchange | None = None
    """For readings, a later reading of the same request with the token; for deletions, a deletion."""


Doubtful = dict[str, list[Exchange]]
"""The answers of creation, reading and deletion to each doubtful form of the token, by its label."""


@scenario(parallel=True)
def refused_requests(service: Api) -> dict[Operation, Refusals]:
    """Reads and deletes a request without a token and with invalid ones, and also unknown requests."""
    one = service.create(service.of_bodies(2)).request_id
    service.read(one)  # a service that caches readings must not show them to others
    # A deleted request, which its user no longer finds: without a token the answer is 401 too.
    gone = next(iter(service.session.journal.gone), "") or service.unknown_id()
    found = {}
    for operation, put in ((Operation.READ, service.read), (Operation.DELETE, service.delete)):
        # A pattern that opens /data or /settings to all may open every path in which it occurs.
        word = f"{'data' if operation is Operation.READ else 'settings'}-{service.session.chance.getrandbits(48):x}"
        found[operation] = _refused(
            service,
            [partial(put, each) for each in (one, word, one, gone)],
            doubtful=partial(put, one, open=True, unusual=True),
            odd=[partial(put, service.unknown_id(one))],
        )
    # A service that caches refusals must not refuse the user.
    found[Operation.READ].afterwards = service.read(one)
    found[Operation.DELETE].afterwards = service.delete(one, open=True)
    return found


@scenario(public=True)
def read_without_token(service: Api) -> list[Exchange]:
    """Reads an unknown request without a token, if no call of the run was answered 401."""
    met = (each for operation in ON_DATA_REQUESTS for each in service.record.answered(operation, 401))
    return [] if any(met) else [service.read(service.unknown_id(), ANONYMOUS)]


@scenario()
def with_token(service: Api) -> dict[Operation, list[Exchange]]:
    """The calls of the user that the service should accept; creates, reads and deletes if an operation lacks one."""
    answers = {operation: _of_user(service, operation) for operation in ON_DATA_REQUESTS}
    if not all(answers.values()):
        creation = service.post(service.first_types(1))
        created = service.created_if_possible(creation)
        request_id = created.request_id if created else service.unknown_id()
        answers[Operation.CREATE].append(creation)
        answers[Operation.READ].append(service.read(request_id))
        answers[Operation.DELETE].append(service.delete(request_id))
    return answers


def _of_user(service: Api, operation: Operation) -> list[Exchange]:
    answered = service.record.answered(operation)
    return [each for each in answered if each.request.credential == USER.label and due(each).must_accept]


@scenario(parallel=True)
def doubtful_credentials(service: Api) -> Doubtful:
    """Creates, reads and deletes with each doubtful form of the token, which the specification does not mention.

    The calls name an unknown type and unknown requests: a user would receive 400, 404 and 404, without effects.
    """
    callers, unknown, unknown_id = doubtful_forms(service), service.unknown_type(), service.unknown_id()
    asks: list[Ask] = [
        lambda caller: service.post([unknown], caller, open=True, unusual=True),
        lambda caller: service.read(unknown_id, caller, open=True, unusual=True),
        lambda caller: service.delete(unknown_id, caller, open=True, unusual=True),
    ]
    answers = _parallel(service, [(ask, caller) for caller in callers for ask in asks])
    return {caller.label: answers[index * len(asks) : (index + 1) * len(asks)] for index, caller in enumerate(callers)}


@scenario()
def session_cookie(service: Api) -> list[Exchange]:
    """Creates, reads and deletes with the cookies that the service set for the user, without a token.

    The creation names an unknown type, so that it has no effect. Without cookies no call is made.
    """
    cookie = cookie_header(service.record.in_order(), USER.label, service.session.personal)
    if not cookie:
        return []
    caller, one = Identity("the session cookie in place of a token", cookie=cookie), service.create().request_id
    return [
        service.post([service.unknown_type()], caller, open=True, unusual=True),
        service.read(one, caller, open=True, unusual=True),
        service.delete(one, caller, open=True, unusual=True),
    ]


@dataclass(frozen=True)
class ByAnother:
    """The calls of a second user for a request of the first, and those of the first user afterwards."""

    read: Exchange
    deleted: Exchange
    absent: tuple[Exchange, Exchange]
    """The same calls of the second user for a request that nobody has."""
    after: Exchange
    released: Exchange
    """The deletion by the first user, which finds the request unless it was removed before."""

    @property
    def removed(self) -> bool:
        """Whether the first user no longer finds the request to delete it."""
        return is_missing(self.released) and not is_missing_again(self.released)


@scenario(parallel=True)
def by_another(service: Api) -> ByAnother:
    """Another user reads and deletes a request, then its user does: the specification does not mention this (5)."""
    require_other_user(service)
    one = service.create().request_id
    # A service that knows two issuers must verify the tokens of both: every answer is judged.
    service.post([service.unknown_type()], replace(OTHER_USER, variation=CHUNKED))
    for caller in altered_tokens_of_another(service):
        service.read(one, caller)
    service.read(one)  # a cache may show another user what its own user has read
    read = service.read(one, OTHER_USER, request="foreign")
    deleted = service.delete(one, OTHER_USER, request="foreign")
    after = service.read(one)
    released = service.delete(one, request="clean-up")
    absent_id = service.unknown_id(one)
    absent = service.read(absent_id, OTHER_USER), service.delete(absent_id, OTHER_USER)
    return ByAnother(read, deleted, absent, after, released)


def require_other_user(service: Api) -> None:
    """Raise NotDecided if the run has no second user."""
    if OTHER_USER.label not in service.session.credentials:
        raise NotDecided(
            "This needs the token of a second user.",
            blame=Blame.CREDENTIAL,
            remedy="Give one as DRSI_OTHER_TOKEN, and run again.",
        )


@scenario(parallel=True)
def refused_creations(service: Api) -> Refusals:
    """Creates without a token and with invalid ones, for known and unknown types and with unusual bodies."""
    # Not the type of the next creations: what a service keeps of a body before it looks at the token shows in them.
    known = service.last_type()
    unknown = partial(service.post, [service.unknown_type()])
    # A malformed body, which must not be parsed. The router may use the media type, which is correct.
    unfinished = partial(service.post_raw, b'["unfinished')
    return _refused(
        service,
        [partial(service.post, known), unknown, partial(service.post, None), unfinished],
        doubtful=partial(service.post, known, open=True, unusual=True),
        odd=[unfinished, unknown],
    )


def _refused(service: Api, asks: Sequence[Ask], *, doubtful: Ask, odd: Sequence[Ask]) -> Refusals:
    """Make the calls without a token, the first of them with each invalid one, and the odd ones with one of these."""
    languages = islice(cycle([*service.tags(), ""]), 3)
    abroad, elsewhere, browser = (replace(ANONYMOUS, language=each) for each in languages)
    # The portal may redirect clients that do not ask for JSON to a login page.
    callers = [ANONYMOUS, abroad, replace(browser, accept=ANYTHING), replace(elsewhere, variation=AS_A_BROWSER)]
    without = [*zip(asks, callers, strict=True)] * service.session.target.budget.times
    invalid = no_tokens(service)
    bad = [(doubtful if each.label in REFUSED_IN_OWN_WORDS else asks[0], each) for each in invalid]
    # What is looked at before the token shows in the odd calls, which are plain beside that.
    answers = iter(_parallel(service, [*without, *bad, *((ask, invalid[0]) for ask in odd)]))
    return Refusals([*islice(answers, len(without))], [*islice(answers, len(bad))], [*answers])


def _parallel(service: Api, calls: list[Asked]) -> list[Exchange]:
    return service.session.parallel([partial(ask, caller) for ask, caller in calls])
