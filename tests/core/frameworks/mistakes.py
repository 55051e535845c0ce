"""The mistakes of the services, decided from the specification and not from what the suite reports.

They are those that the framework itself invites; other mistakes are faults of `conformance/calibration/faults/`.
"""

from __future__ import annotations


def mistake(summary: str, *requirements: str) -> tuple[str, ...]:
    """Return the requirements that a deviation breaks which a framework's default or a usual habit invites.

    The suite has to report at least one of them as broken.
    """
    return requirements


FLASK = {
    "html-404-page": mistake(
        "abort(404) answers an unknown request with the HTML page", "0-bodies-are-json", "7-not-found-error"
    ),
    "html-400-page": mistake(
        "get_json() answers malformed JSON with the HTML page of abort(400)", "0-bodies-are-json", "2.4-object"
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
    "cached-reading": mistake("GET /requests/… is cached by its path", "3-removed", "5.3-read-without-token"),
    "requests-per-process": mistake("each process keeps its own requests", "4.2-answers-200", "4.3-answers-ok"),
}

DJANGO = {
    "csrf": mistake("no csrf_exempt: a creation is answered with the 403 page", "0-bodies-are-json", "4.1-answers-200"),
    "uuid-converter-generic": mistake(
        "<uuid:…> leaves what is no UUID to handler404, which knows no data requests", "7-not-found-message"
    ),
    "uuid5": mistake(
        "the identifier is uuid5() of the user's name and a count", "2.1-requestId-unrelated", "2.1-requestId-random"
    ),
    "insert-then-check": mistake(
        "the limit is looked at after the row is saved, without a transaction",
        "4.1-refused-creates-nothing",
        "3-frees-the-limit",
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
    "validated-before-token": mistake(
        "AllowAny, and the user is looked at after is_valid()", "5.3-create-without-token", "5.3-create-with-bad-token"
    ),
    "serializer-errors": mistake(
        "is_valid(raise_exception=True) answers lists of messages", "7-invalid-data-types-error"
    ),
    "blank-detail": mistake(
        "an unknown type has its error, an empty string that of CharField", "7-invalid-data-types-error", "2.4-error"
    ),
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
    "null-for-404": mistake("store.get(…) returns None, shown as null with 200", "7-not-found"),
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
    "required-data": mistake("data: list[str] refuses an omitted body", "4.1-body-omitted"),
    "empty-strings-dropped": mistake("empty strings are left out of the list", "7-invalid-data-types"),
}
