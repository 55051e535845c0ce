"""Twins with other kinds of access tokens, credentials and refusals, which clause 5 leaves open."""

from __future__ import annotations

import base64
import json
import re
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from conformance.calibration import sources
from conformance.calibration.operators import page, problem
from conformance.calibration.twins.common import SHORT_OF_THE_LIMIT, adding
from conformance.calibration.variant import Given, add_twin, twin, undecided
from conformance.reference.call import NO_ANSWER, Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.config import User
from conformance.reference.service import Service


def _users(*tokens: str) -> tuple[User, ...]:
    return tuple(User(name, token) for name, token in zip(("alice.example", "bob.example"), tokens, strict=True))


def _segment(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _jwt(subject: str, signature: bytes) -> str:
    claims = {"sub": subject, "iss": "https://auth.shop.example", "exp": 4_102_444_800, "scope": "requests", "jti": 7}
    return ".".join(
        (_segment(b'{"alg":"HS384","typ":"JWT"}'), _segment(json.dumps(claims).encode()), _segment(signature))
    )


def _decoded(token: str) -> list[bytes]:
    """Decode all whole groups of each part, and ignore a character that remains."""
    whole = (part if len(part) % 4 != 1 else part[:-1] for part in token.split("."))
    return [base64.urlsafe_b64decode(each + "=" * (-len(each) % 4)) for each in whole]


@twin("5.5", users=_users(_jwt("alice", bytes(range(48))), _jwt("bob", bytes(range(48, 96)))), at="accept")
def tokens_are_jwts(service: Service, token: str) -> User | None:
    """Tokens are JWTs whose signatures are compared after decoding; a character without decoded bits is ignored."""
    given = _decoded(token) if token.isascii() else None
    return next((user for user in service.config.users if _decoded(user.token) == given), None)


add_twin(
    "5.5",
    "tokens-are-uuids",
    "Tokens are UUIDs in small letters, which the service compares as strings.",
    users=_users("0f8c6f2e-6d0b-4b1c-9a63-1d2fa0c4e9b7", "5b0a3a51-2c2f-4a07-8d1e-77a0b1aa93d4"),
)
add_twin("5.5", "tokens-of-six-kilobytes", "Tokens of 6,000 characters.", users=_users("Aa0" * 2_000, "Bb1" * 2_000))
add_twin(
    "5.5",
    "tokens-with-every-character",
    "Tokens with every character that RFC 6750 allows, padding included.",
    users=_users("aZ09-._~+/alice/very/secret+words~==", "aZ09-._~+/bob/other/secret+words~=="),
)
add_twin(
    "5.5",
    "tokens-of-six-digits",
    "Tokens of six digits.",
    {"5.3-letter-case": ("not-applicable",)},
    users=_users("493027", "882615"),
)

for _name, _text, _challenge in (
    (
        "with-error",
        "WWW-Authenticate carries realm, error and a description with commas.",
        'Bearer realm="drsi, main", error="invalid_token", error_description="The token expired, or never was"',
    ),
    ("of-another-scheme", "WWW-Authenticate offers another scheme only.", 'Basic realm="shop"'),
):
    add_twin(
        "5.3",
        f"challenge-{_name}",
        _text,
        service=adding({"www-authenticate": _challenge}, lambda _, call: call.condition is ErrorCondition.UNAUTHORIZED),
    )


@twin("5", alerts=("5-isolation",), source="5, item 1", at="find")
def users_share_an_organisation(service: Service, call: Call) -> None:
    """Every user may read and delete the requests of all users: the specification does not exclude it."""
    request = service.store.get(call.request_id)
    if request is not None and call.user is not None:
        call.user = User(request.owner, call.user.token)


@twin("5", alerts=("5-isolation",), source="5, item 1", at="read")
def others_may_read_only(service: Service, call: Call) -> None:
    """Every user may read the requests of all users and delete only their own: deleting others answers 404."""
    users_share_an_organisation(service, call)


@twin("5", alerts=("5-existence-shown",), source="5, item 1", at="perform")
def forbidden_to_others(service: Service, call: Call) -> Reply | None:
    """Another user's request answers 403 with its own message; an unknown request answers 404 as stated."""
    request = service.store.get(call.request_id)
    user = service.authenticate(call)
    is_others = request is not None and user is not None and request.owner != user.name
    return problem(403, "Forbidden", "This is not yours.") if is_others else None


@twin("5", alerts=("5-existence-shown",), source="7, table, row 4, Condition", at="find")
def unauthorized_to_others(service: Service, call: Call) -> None:
    """Another user's request answers 401 with the error of the table: the specification does not exclude it."""
    request = service.store.get(call.request_id)
    if request is not None and call.user is not None and request.owner != call.user.name:
        raise RefusedError(ErrorCondition.UNAUTHORIZED)


@twin("5", alerts=("5-isolation",), source="5, item 1", of="error")
def not_found_suggests_identifiers(service: Service, document: Any, condition: ErrorCondition, _call: Call) -> Any:
    """The answer 404 names the requests that exist, of every user, beside the members that the interface states."""
    if condition is ErrorCondition.NO_REQUEST:
        document["suggestions"] = [each.id for each in service.store.all()]
    return document


@twin("5", alerts=("5-isolation",), source="7, table, row 4, Condition", of="error")
def unauthorized_shows_tokens(service: Service, document: Any, condition: ErrorCondition, _call: Call) -> Any:
    """The answer 401 of a debug mode lists the tokens that are valid, beside the members that the interface states."""
    if condition is ErrorCondition.UNAUTHORIZED:
        document["valid"] = [each.token for each in service.config.users]
    return document


@twin("5", source=sources.KUBERNETES_ROLLOUT, of="error")
def errors_of_two_releases(service: Service, document: Any, condition: ErrorCondition, _call: Call) -> Any:
    """During a rollout a balancer gives calls by turns to two releases, of which the newer adds a member to errors."""
    is_newer = condition is ErrorCondition.NO_REQUEST and service.turn("not found") % 3 == 0
    return document | {"statusCode": 404} if is_newer else document


@twin("5", alerts=("5-existence-shown",), source="5, item 1", of="finish")
def not_found_with_the_validator_of_what_exists(service: Service, reply: Reply, _reply: Reply, call: Call) -> Reply:
    """A filter adds the ETag of the entity that a path names, also where the user must not read it."""
    if reply.status == 404 and service.store.get(call.request_id) is not None:
        reply.headers["etag"] = '"1"'
    return reply


add_twin(
    "8",
    "both-tokens-are-of-one-user",
    "The two tokens belong to the same account, so that they share its requests and its places.",
    SHORT_OF_THE_LIMIT,
    alerts=("5-isolation",),
    users=(User("alice.example", "first-Qm7xT2vKp9RzW4nL"), User("alice.example", "second-Yh3cF8jSd5GtB6uE")),
)


@twin("5.4", source=sources.DRF_AUTHENTICATION, at="perform")
def public_calls_look_at_the_token(service: Service, call: Call) -> Reply | None:
    """GET /settings and GET /data answer without a token, and answer 401 to an invalid one."""
    return public_calls_refuse_every_token(service, call) if service.authenticate(call) is None else None


@twin("5.4", source="5, item 4", at="perform")
def public_calls_refuse_every_token(service: Service, call: Call) -> Reply | None:
    """GET /settings and GET /data answer without a token, and answer 401 to any token."""
    has_token = call.operation in (Action.SETTINGS, Action.DATA) and call.authorization
    return service.refuse(ErrorCondition.UNAUTHORIZED, call) if has_token else None


@twin("5.4", source=sources.S3_AUTHORIZATION, at="perform")
def public_calls_are_files_of_a_store(_service: Service, call: Call) -> Reply | None:
    """GET /settings and GET /data are public files in a store of objects, which refuses the type of authorization."""
    text = b"<Error><Code>InvalidArgument</Code><Message>Unsupported Authorization Type</Message></Error>"
    has_token = call.operation in (Action.SETTINGS, Action.DATA) and call.authorization
    return Reply(400, text, {"content-type": "application/xml"}) if has_token else None


@twin("5.1", source="5, item 1, sentence 2", of="token")
def scheme_in_exact_case(_service: Service, token: str | None, call: Call) -> str | None:
    """The scheme is case-sensitive: the service refuses bearer."""
    exact = all(each.startswith("Bearer ") for each in call.authorization)
    return token if exact else None


@twin("5.1", source=sources.DRF_AUTHENTICATION, of="token")
def scheme_token_as_well(_service: Service, token: str | None, call: Call) -> str | None:
    """The service accepts the scheme Token of a framework like Bearer."""
    given = call.authorization[0] if len(call.authorization) == 1 else ""
    return given.removeprefix("Token ") if given.startswith("Token ") else token


_NOT_ALLOWED = undecided("2.*", "3-*", "4.*", "5.*", "7-*", "8-*")


@twin("5.5", _NOT_ALLOWED, source=sources.BEARER_ERRORS, at="delete")
def delete_wants_another_scope(service: Service, call: Call) -> Reply | None:
    """The scopes of these tokens do not include the deletion of a request: scopes are not shown."""
    service.find(call)
    return problem(403, "Forbidden", "insufficient_scope")


@twin("5.5", _NOT_ALLOWED, source=sources.BEARER_ERRORS, at="create")
def create_wants_another_scope(_service: Service, _call: Call) -> Reply | None:
    """The scopes of these tokens do not include the creation of a request, which the service says as RFC 6750 does."""
    reply = problem(403, "insufficient_scope", "This needs the scope requests:write.")
    reply.headers["www-authenticate"] = 'Bearer error="insufficient_scope", scope="requests:write"'
    return reply


_OF_RFC_6750 = re.compile(r"[A-Za-z0-9._~+/-]*=*")
_PAGE = {"content-type": "text/html", "connection": "close"}


def _has_odd_token(call: Call) -> bool:
    return any(not _OF_RFC_6750.fullmatch(each.partition(" ")[2].strip()) for each in call.authorization)


@twin("5.3", at="perform")
def odd_tokens_are_malformed_calls(_service: Service, call: Call) -> Reply | None:
    """A gateway answers 400 with its own page to a token with other characters than RFC 6750 allows, and hangs up."""
    return Reply(400, b"<h1>400 Bad Request</h1>", {**_PAGE}) if _has_odd_token(call) else None


@twin("5.3", at="perform")
def odd_tokens_are_forbidden(_service: Service, call: Call) -> Reply | None:
    """A firewall answers 403 with its own page to a token with a quote or with a letter outside ASCII."""
    return Reply(403, b"<h1>403 Forbidden</h1>", {**_PAGE}) if _has_odd_token(call) else None


@twin("5.3", at="perform")
def odd_tokens_have_no_answer(_service: Service, call: Call) -> Reply | None:
    """A firewall closes the connection at a token with a quote or with a letter outside ASCII."""
    return Reply(NO_ANSWER) if _has_odd_token(call) else None


class _WithSession(Service):
    """Starts a session with the first answer to a token."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        if call.user is not None:
            reply.headers["set-cookie"] = f"JSESSIONID={self.session_of(call.user)}; Path=/; HttpOnly"
        return reply

    def session_of(self, user: User) -> str:
        """Return the session of a user."""
        return uuid5(NAMESPACE_URL, user.token).hex


@twin("5.1", source=sources.DJANGO_SESSIONS)
class _SessionOfTheFramework(_WithSession):
    """The framework sets a session cookie, which the service does not look at."""


@twin("5.1", alerts=("5-session-cookie",), source=sources.DRF_AUTHENTICATION)
class _SessionReplacesTheToken(_WithSession):
    """The framework keeps who was logged in: its session cookie is accepted without a token."""

    def authenticate(self, call: Call) -> User | None:
        given = call.headers.get("cookie", "")
        known = (each for each in self.config.users if self.session_of(each) in given)
        return super().authenticate(call) or (None if call.authorization else next(known, None))


@twin("5.1", source=sources.DJANGO_FORMS, base=_WithSession, at="perform")
def session_needs_a_form_token(_service: Service, call: Call) -> Reply | None:
    """The framework answers 400 with a page to a POST that has its session cookie, and no token of a form."""
    has_cookie = call.operation is Action.CREATE and "cookie" in call.headers and not call.authorization
    return page(400, "<h1>Antiforgery token missing</h1>") if has_cookie else None


@twin("5.1", alerts=("5-token-in-query",), source=sources.BEARER_IN_QUERY, of="token")
def token_in_the_query_as_well(_service: Service, token: str | None, call: Call) -> str | None:
    """Without the header, the query parameter access_token may carry the token, as RFC 6750 describes it."""
    return token or call.query.get("access_token")


@twin("5.3", given=(Given.EXPIRED_TOKEN, Given.FOREIGN_TOKEN), source="5, item 5", of="authenticate")
def refuses_expired_and_foreign_tokens(service: Service, user: Any, call: Call) -> Any:
    """The service knows a token that has expired and one for another service, and refuses both as any other."""
    if service.token(call) in (service.config.expired_token, service.config.foreign_token):
        raise RefusedError(ErrorCondition.UNAUTHORIZED)
    return user
