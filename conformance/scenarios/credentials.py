"""The credential scenarios: every operation on data requests with every form of a credential (5).

The answer to an invalid credential is 401 (5.3). Forms that the specification does not mention are only shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice
from urllib.parse import quote

from conformance.model.account import jwt_claims
from conformance.model.credential_forms import (
    ALTERED,
    FORMS,
    OTHER_LETTER_CASE,
    WITH_EXTRA_CHARACTERS,
    WITHOUT_SIGNATURE,
)
from conformance.model.error_table import (
    IN_QUERY,
    ON_DATA_REQUESTS,
    REFUSED_IN_OWN_WORDS,
    SESSION_COOKIE,
    TOKEN_IN_QUERY,
)
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.model.identity import (
    ANONYMOUS,
    ANYTHING,
    AS_A_BROWSER,
    CHUNKED,
    OF_CALLS,
    OTHER_USER,
    PLAIN,
    USER,
    Identity,
)
from conformance.model.verdict import Blame
from conformance.scenarios.api import Api
from conformance.scenarios.registry import scenario

Ask = Callable[[Identity], Exchange]


@scenario(beside_others=True)
def refused_creations(service: Api) -> None:
    """Creates without a token and with invalid ones, for known and unknown types and with unusual bodies."""
    # Not the type of the next creations: what a service keeps of a body before it looks at the token shows in them.
    known = service.last_type()
    unknown = partial(service.post, [service.unknown_type()])
    # Wrong bodies, which must be neither parsed nor validated. The router may use the media type, which is correct.
    unfinished, no_list = (partial(service.post_raw, body) for body in (b'["unfinished', b"{}"))
    _be_refused(
        service,
        [partial(service.post, known), unknown, partial(service.post, None), unfinished],
        doubtful=partial(service.post, known, open=True, unusual=True),
        odd=[unfinished, no_list, unknown],
    )


@scenario(beside_others=True)
def refused_requests(service: Api) -> Exchange:
    """Reads and deletes a request without a token and with invalid ones, and also unknown requests.

    Returns the deletion by its user afterwards.
    """
    one = service.create(form=2).request_id
    service.read(one)  # a service that caches readings must not show them to others
    # A deleted request, which its user no longer finds: without a token the answer is 401 too.
    gone = next(iter(service.session.journal.gone), "") or service.unknown_id()
    # A pattern that opens /data or /settings to all may open every path in which it occurs.
    for public, put in (("data", service.read), ("settings", service.delete)):
        word = f"{public}-{service.session.chance.getrandbits(48):x}"
        _be_refused(
            service,
            [partial(put, each) for each in (one, word, one, gone)],
            doubtful=partial(put, one, open=True, unusual=True),
            odd=[partial(put, service.unknown_id(one))],
        )
    service.read(one)  # a service that caches refusals must not refuse the user
    return service.delete(one, open=True)


def _be_refused(service: Api, asks: Sequence[Ask], *, doubtful: Ask, odd: Sequence[Ask]) -> None:
    """Make the calls without a token, the first of them with each invalid one, and the odd ones with one of these.

    A user's token would have refused the odd calls: they are for what does not exist, or malformed.
    """
    languages = islice(cycle([*service.tags(), ""]), 3)
    abroad, elsewhere, browser = (replace(ANONYMOUS, language=each) for each in languages)
    # The portal may redirect clients that do not ask for JSON to a login page.
    callers = [ANONYMOUS, abroad, replace(browser, accept=ANYTHING), replace(elsewhere, variation=AS_A_BROWSER)]
    without = [*zip(asks, callers, strict=True)] * service.target.budget.times
    invalid = no_tokens(service)
    bad = [(doubtful if each.label in REFUSED_IN_OWN_WORDS else asks[0], each) for each in invalid]
    # What is looked at before the token shows in the odd calls, which are plain beside that.
    calls = [*without, *bad, *((ask, invalid[0]) for ask in odd)]
    service.session.parallel([partial(ask, caller) for ask, caller in calls])


@scenario(public=True)
def read_without_token(service: Api) -> None:
    """Reads an unknown request without a token, if no call of the run was answered 401."""
    if not any(service.record.answered(operation, 401) for operation in ON_DATA_REQUESTS):
        service.read(service.unknown_id(), ANONYMOUS)


@scenario(beside_others=True)
def doubtful_credentials(service: Api) -> None:
    """Creates, reads and deletes with each doubtful form of the token, which the specification does not mention.

    The calls name an unknown type and unknown requests: a user would receive 400, 404 and 404, without effects.
    """
    unknown_id = service.unknown_id()
    asks: list[Ask] = [
        partial(service.post, [service.unknown_type()], open=True, unusual=True),
        partial(service.read, unknown_id, open=True, unusual=True),
        partial(service.delete, unknown_id, open=True, unusual=True),
    ]
    service.session.parallel([partial(ask, caller) for caller in doubtful_forms(service) for ask in asks])


@scenario()
def session_cookie(service: Api) -> None:
    """Creates, reads and deletes with the cookies that the service set for the user, without a token.

    The creation names an unknown type, so that it has no effect. Without cookies no call is made.
    """
    cookie = service.session.personal.cookie_header(service.record.in_order(), USER.label)
    if not cookie:
        return
    caller, one = Identity(SESSION_COOKIE, cookie=cookie), service.create().request_id
    service.post([service.unknown_type()], caller, open=True, unusual=True)
    service.read(one, caller, open=True, unusual=True)
    service.delete(one, caller, open=True, unusual=True)


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


@scenario(beside_others=True)
def by_another(service: Api) -> ByAnother:
    """Another user reads and deletes a request, then its user does: the specification does not mention this (5)."""
    if OTHER_USER.label not in service.users:
        raise NotDecided(
            "This needs the token of a second user.",
            blame=Blame.CREDENTIAL,
            remedy="Give one as DRSI_OTHER_TOKEN, and run again.",
        )
    one = service.create().request_id
    # A service that knows two issuers must verify the tokens of both: every answer is judged.
    service.post([service.unknown_type("#")], replace(OTHER_USER, variation=CHUNKED))
    for caller in altered_tokens_of_another(service):
        service.read(one, caller)
    service.read(one)  # a cache may show another user what its own user has read
    absent = service.unknown_id(one)
    return ByAnother(
        read=service.read(one, OTHER_USER, request="foreign"),
        deleted=service.delete(one, OTHER_USER, request="foreign"),
        after=service.read(one),
        released=service.delete(one, request="clean-up"),
        absent=(service.read(absent, OTHER_USER), service.delete(absent, OTHER_USER)),
    )


def no_tokens(service: Api) -> list[Identity]:
    """Return identities with invalid credentials: made-up and altered tokens, and the real ones of the tester."""
    chance = service.session.chance
    token = service.session.credentials[USER.label].current()
    signed = jwt_claims(token)
    digits = f"{chance.getrandbits(240):060x}"
    forms = {label: form(token, digits) for label, form in FORMS.items() if signed or label != WITHOUT_SIGNATURE}
    # Frameworks read each byte of UTF-8 as a letter. Jetty takes a token in another letter case for the right one on a
    # connection that has had that one.
    callers = [
        Identity(label, header.encode().decode("latin-1"), closes=label == OTHER_LETTER_CASE)
        for label, header in forms.items()
    ]
    # A service may compare paths with the query: a protected path is open with any query then.
    callers.append(Identity(IN_QUERY, query=f"access_token={chance.getrandbits(160):x}"))
    refused = service.session.target.refused
    callers += [Identity(label, f"Bearer {each.current()}") for label, each in refused.items()]
    callers = _that_are_no_tokens(service, callers)
    # In one language after another, and in none: errors are not translated.
    languages, variations = cycle([*service.tags(), ""]), cycle([PLAIN, PLAIN, *OF_CALLS])
    return [replace(each, language=next(languages), variation=next(variations)) for each in callers]


def _that_are_no_tokens(service: Api, callers: Sequence[Identity]) -> list[Identity]:
    """Return the identities whose credential is no token of a user, as a short one may be when it is altered.

    Of equal credentials the first one's label counts, whichever of parallel calls is first.
    """
    session = service.session
    tokens = {f"Bearer {each.current()}" for each in session.credentials.values()}
    chosen = [each for each in callers if each.authorization not in tokens]
    for each in chosen:
        session.secrets.note_sent(each.label, str(each.authorization))
    return chosen


def altered_tokens_of_another(service: Api) -> list[Identity]:
    """Return identities with the token of the other user, altered."""
    token = service.session.credentials[OTHER_USER.label].current()
    labels = {
        "the token of the other user with extra characters": WITH_EXTRA_CHARACTERS,
        "the token of the other user, altered in one character": ALTERED,
    }
    return _that_are_no_tokens(service, [Identity(each, FORMS[form](token, "")) for each, form in labels.items()])


def doubtful_forms(service: Api) -> list[Identity]:
    """Return identities with the token in forms that the specification does not mention."""
    token = service.session.credentials[USER.label].current()
    return [
        Identity("the token with the scheme bearer in lower case", f"bearer {token}", closes=True),
        Identity("the token with the scheme Token", f"Token {token}"),
        Identity("the token in two headers", (f"Bearer {token}", f"Bearer {token}")),
        Identity(TOKEN_IN_QUERY, query=f"access_token={quote(token, safe='')}"),
    ]
