"""The mistakes of the services, decided from the specification and not from what the suite reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """A deviation from the specification that a framework's default or a usual habit invites.

    `requirements` are ids of the catalogue: the suite has to report at least one of them as broken.
    """

    summary: str
    requirements: tuple[str, ...]
    threads: bool = False
    """Whether calls have to overlap for the mistake to show."""
    workers: int = 1
    """Number of copies of the service, each with its own memory, to which a load balancer deals the calls in turn."""


def mistake(summary: str, *requirements: str, threads: bool = False, workers: int = 1) -> Mistake:
    """Return a mistake that breaks one of `requirements`."""
    return Mistake(summary, requirements, threads, workers)


FLASK = {
    "ok-labelled-html": mistake("return 'OK' is labelled text/html", "4.3-media-type"),
    "html-404-page": mistake(
        "abort(404) answers an unknown request with the HTML page", "0-bodies-are-json", "7-not-found-error"
    ),
    "html-400-page": mistake(
        "get_json() answers malformed JSON with the HTML page of abort(400)", "0-bodies-are-json", "2.4-object"
    ),
    "generic-error-messages": mistake(
        "one handler answers with the framework's name and description of each error",
        "7-not-found-message",
        "7-unauthorized-message",
    ),
    "uuid-converter-html": mistake(
        "<uuid:…> answers an identifier that is no UUID with the HTML page",
        "0-bodies-are-json",
        "2.4-object",
        "7-not-found-error",
    ),
    "uuid-converter-before-token": mistake(
        "<uuid:…> answers 404 to what is no UUID before the token is looked at",
        "5.3-read-without-token",
        "5.3-delete-without-token",
    ),
    "get-json-415": mistake("get_json() answers an omitted body with 415", "4.1-body-omitted", "4.1-answers-200"),
    "types-from-environment": mistake(
        "a type is looked for in a string of all types, so a part of it is found", "7-invalid-data-types"
    ),
    "form-body": mistake("the types are read from a form, so a JSON body is ignored", "4.1-requested-types"),
    "token-by-index": mistake(
        "headers['Authorization'].split()[1] fails where there is no header", "5.3-create-without-token"
    ),
    "token-prefix": mistake("a token that begins with the user's is accepted", "5.3-create-with-bad-token"),
    "http-dates": mistake("jsonify writes a datetime as an HTTP date", "2.1-createdAt"),
    "naive-isoformat": mistake("isoformat() of a naive datetime has no offset", "2.1-createdAt"),
    "dataclass-as-is": mistake("jsonify writes a dataclass with its Python names", "2.1-requestId"),
    "best-match-language": mistake("accept_languages.best_match(…, default) falls back", "7-language-not-supported"),
    "cached-reading": mistake("GET /requests/… is cached by its path", "3-removed", "5.3-read-without-token"),
    "no-data-me": mistake("GET /data/me is left out", "4.6-exists"),
    "requests-per-process": mistake(
        "each process keeps its own requests", "4.2-answers-200", "4.3-answers-ok", workers=2
    ),
    "limit-per-process": mistake("each process counts its own creations", "8-limit-enforced", workers=2),
}

DJANGO = {
    "csrf": mistake("no csrf_exempt: a creation is answered with the 403 page", "0-bodies-are-json", "4.1-answers-200"),
    "append-slash": mistake("the route requests/ redirects POST /requests", "4.1-answers-200"),
    "login-redirect": mistake("no token redirects to the login page", "5.3-create-without-token"),
    "uuid-converter-generic": mistake(
        "<uuid:…> leaves what is no UUID to handler404, which knows no data requests", "7-not-found-message"
    ),
    "auto-field": mistake("the identifier is an AutoField", "2.1-requestId"),
    "filtered-types": mistake("unknown types are left out, as filter(name__in=…) does", "7-invalid-data-types"),
    "content-type-compared": mistake(
        "a body whose type is 'application/json; charset=utf-8' counts as omitted", "4.1-requested-types"
    ),
    "uuid5": mistake(
        "the identifier is uuid5() of the user's name and a count", "2.1-requestId-unrelated", "2.1-requestId-random"
    ),
    "translated-errors": mistake(
        "gettext translates the messages into the language of the call", "7-not-found-message", "7-unauthorized-message"
    ),
    "insert-then-check": mistake(
        "the limit is looked at after the row is saved, without a transaction",
        "4.1-refused-creates-nothing",
        "3-frees-the-limit",
    ),
    "auto-now": mistake("createdAt is an auto_now field, and a reading saves", "4.2-agrees-with-creation"),
    "default-called-once": mistake("createdAt has default=timezone.now(), called at the start", "2.1-createdAt-value"),
    "local-time-with-z": mistake("strftime('…Z') of the local time", "2.1-createdAt-value"),
    "midnight": mistake("createdAt is kept as a date and shown as its midnight", "2.1-createdAt-precise"),
    "locale-middleware": mistake("LocaleMiddleware falls back to LANGUAGE_CODE", "7-language-not-supported"),
    "cache-page-reading": mistake("cache_page on the view of one request", "3-removed", "5.3-read-without-token"),
    "soft-delete": mistake("a deletion marks the row, and reading does not look at the mark", "3-removed"),
    "get-or-create": mistake("a second creation for the same types returns the first request", "2.1-requestId-unique"),
    "count-then-insert": mistake(
        "no transaction around count and insert", "8-limit-enforced-in-parallel", threads=True
    ),
    "locales-unserved": mistake(
        "supportedLanaguages are locales such as en_GB, but only en is served", "4.5-supported-languages"
    ),
}

REST_FRAMEWORK = {
    "detail-everywhere": mistake("the default exception handler answers {'detail': …}", "7-not-found-error"),
    "error-codes": mistake("error is the default_code of the exception", "7-not-found-error", "7-unauthorized-error"),
    "detail-for-parse-error": mistake("ParseError is answered {'detail': …}", "2.4-error"),
    "detail-for-415": mistake("UnsupportedMediaType is answered {'detail': …}", "2.4-error"),
    "no-authenticate-header": mistake("without authenticate_header() 401 becomes 403", "5.3-create-without-token"),
    "is-authenticated-everywhere": mistake("GET /settings needs a token as well", "5.4-settings-without-token"),
    "validated-before-token": mistake(
        "AllowAny, and the user is looked at after is_valid()", "5.3-create-without-token", "5.3-create-with-bad-token"
    ),
    "serializer-errors": mistake(
        "is_valid(raise_exception=True) answers lists of messages", "7-invalid-data-types-error"
    ),
    "blank-detail": mistake(
        "an unknown type has its error, an empty string that of CharField", "7-invalid-data-types-error", "2.4-error"
    ),
    "created-201": mistake("CreateModelMixin answers 201", "4.1-answers-200"),
    "no-content-204": mistake("DestroyModelMixin answers 204", "4.3-answers-ok"),
    "snake-case": mistake("the serializer uses the names of the model", "2.1-requestId"),
    "related-keys": mistake("PrimaryKeyRelatedField shows the types as numbers", "2.1-dataRequested"),
    "datetime-format": mistake("DATETIME_FORMAT is for people", "2.1-createdAt"),
    "paginated-data": mistake("GET /data is a page of results", "4.5-array"),
    "router-slash": mistake("the router's requests/ redirects POST /requests", "4.1-answers-200"),
    "unique-together": mistake("a second creation for the same types is invalid", "4.1-answers-200"),
    "soft-delete-counts": mistake("deleted rows count against the limit", "3-frees-the-limit"),
}

FASTAPI = {
    "http-bearer": mistake("HTTPBearer answers a missing token {'detail': …}", "7-unauthorized-error"),
    "required-header": mistake("a required Header answers a missing token with 422", "5.3-create-without-token"),
    "jwt-unverified": mistake("the claims of the token are read without its signature", "5.3-create-with-bad-token"),
    "jwt-alg-none": mistake("a JWT whose header names the algorithm none is accepted", "5.3-create-with-bad-token"),
    "http-exception-detail": mistake("HTTPException puts the error object into detail", "7-not-found-error"),
    "elements-422": mistake("what is no list of strings is answered 422 with detail", "2.4-error", "2.4-message"),
    "enum-422": mistake("a list of Literal answers an unknown type 422 with detail", "7-invalid-data-types"),
    "uuid-422": mistake("an identifier that is no UUID is answered 422 with detail", "2.4-error", "2.4-message"),
    "uuid-404-message": mistake(
        "an identifier that is no UUID is answered 404 with a message of the framework's", "7-not-found-message"
    ),
    "malformed-before-token": mistake(
        "the body is parsed before the dependency that looks at the token", "5.3-create-without-token"
    ),
    "unanchored-pattern": mistake(
        "Field(pattern='account|loans|…') is looked for anywhere in a type", "7-invalid-data-types"
    ),
    "null-for-404": mistake("store.get(…) returns None, shown as null with 200", "7-not-found"),
    "ok-as-json": mistake("return 'OK' is JSON", "4.3-answers-ok"),
    "nulls": mistake("the fields that are None are null", "2.1-completedAt", "3-in-progress-no-completedAt"),
    "alias-generator": mistake(
        "the response model is a class above, whose to_camel('oauth_url') is oauthUrl", "2.3-oAuthUrl"
    ),
    "timedelta": mistake("expectedCompletion is a timedelta, shown as P30D", "2.1-expectedCompletion"),
    "default-called-once": mistake("request_id: UUID = uuid4(), the same for all", "2.1-requestId-unique"),
    "uuid1": mistake("identifiers are made by uuid1()", "2.1-requestId-random"),
    "store-per-call": mistake("Depends(Store) makes a new store for each call", "4.2-answers-200", "4.3-answers-ok"),
    "await-between": mistake(
        "another creation comes between counting and storing", "8-limit-enforced-in-parallel", threads=True
    ),
    "limit-per-process": mistake("uvicorn --workers 2, each counts its own creations", "8-limit-enforced", workers=2),
    "found-in-a-thread": mistake(
        "a dependency without async finds a request that another deletion removes",
        "3-removed-in-parallel",
        threads=True,
    ),
    "limit-429": mistake("the limit is answered 429 Too Many Requests", "7-limit-reached"),
    "required-language": mistake("a required Header answers GET /data with 422", "4.5-answers-200"),
    "language-literal": mistake("a Literal answers another language 422 with detail", "7-language-not-supported"),
}

LITESTAR = {
    "default-errors": mistake("every error is {'status_code': …, 'detail': …}", "7-not-found-error"),
    "default-validation": mistake("ValidationException keeps its default answer", "2.4-error", "2.4-message"),
    "default-parsing": mistake("malformed JSON keeps its default answer", "2.4-error", "2.4-message"),
    "token-dependency": mistake(
        "a dependency looks at the token, after the body was parsed", "5.3-create-without-token"
    ),
    "uuid-parameter": mistake(
        "{request_id:uuid} leaves what is no UUID to the 404 of the router, which needs no token",
        "5.3-read-without-token",
        "5.3-delete-without-token",
    ),
    "created-201": mistake("@post answers 201", "4.1-answers-200"),
    "required-data": mistake("data: list[str] refuses an omitted body", "4.1-body-omitted"),
    "empty-strings-dropped": mistake("empty strings are left out of the list", "7-invalid-data-types"),
    "no-content-204": mistake("@delete answers 204", "4.3-answers-ok"),
    "ok-labelled-json": mistake("a handler that may return anything is labelled as JSON", "4.3-media-type"),
    "gone-410": mistake("a deleted request is answered 410", "3-removed"),
    "idempotent-delete": mistake("requests.pop(…, None) answers OK whatever was there", "7-not-found", "3-removed"),
    "hex": mistake("the identifier is uuid4().hex", "2.1-requestId"),
    "cache-data": mistake("@get(cache=60) on GET /data, whatever the language", "7-language-not-supported"),
    "offset-pagination": mistake("GET /data is an OffsetPagination", "4.5-array"),
    "one-for-each-user": mistake(
        "a dict by user: a creation replaces the last one", "4.2-answers-200", "4.3-answers-ok"
    ),
}
