"""Twins with their own treatment of unusual calls: bodies that no clause describes, odd paths, headers and strings."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from conformance.calibration import sources
from conformance.calibration.operators import answering, lenient, page, problem, uuid_in
from conformance.calibration.variant import twin
from conformance.model.strict_json import BOM, parse
from conformance.model.target import Budget
from conformance.reference.call import Action, Call, Reply
from conformance.reference.config import numbered
from conformance.reference.service import Service

_MALFORMED: Final = object()


def _content(body: str | bytes) -> Any:
    """Return the value of a body, _MALFORMED for one that is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return _MALFORMED


def _taken(is_meant: Callable[[Any], bool], which: slice) -> type[Service]:
    """Return the service that takes some bodies for a list of its types, or of a part of them."""

    def wanted_types(service: Service, call: Call) -> tuple[str, ...] | None:
        meant = call.body and is_meant(_content(call.body))
        return tuple(each.type for each in service.types)[which] if meant else None

    return answering(wanted_types, "wanted_types")


@twin("4.1", source="4.1, item 2", by=partial(_taken, which=slice(None)))
def empty_array_means_all(wanted: Any) -> bool:
    """The service treats an empty array as an omitted body."""
    return bool(wanted == [])


@twin("4.1", source="4.1, item 1, sentence 1", by=partial(_taken, which=slice(0)))
def empty_array_means_none(wanted: Any) -> bool:
    """An empty array creates a request without types."""
    return bool(wanted == [])


@twin("4.1", source="4.1, item 2", by=partial(_taken, which=slice(None)))
def null_means_all(wanted: Any) -> bool:
    """The service treats null and an empty object as an omitted body."""
    return wanted in (None, {})


@twin("4.1", source=sources.JACKSON_ARRAYS, by=partial(_taken, which=slice(1)))
def single_string_is_taken(wanted: Any) -> bool:
    """The service treats a string or a number as a list of the first type: no table covers such bodies."""
    return isinstance(wanted, str | int)


@twin("4.1", source=sources.FLASK_SILENT, by=partial(_taken, which=slice(None)))
def malformed_body_ignored(wanted: Any) -> bool:
    """The service treats a body that is not JSON as an omitted body."""
    return wanted is _MALFORMED


def _is_unreadable(call: Call) -> bool:
    """Tell whether a body is no array of strings to a parser that takes neither a byte order mark nor UTF-16."""
    with suppress(UnicodeDecodeError):
        return bool(call.body) and not _is_a_list_of_strings(_content(call.body.decode()))
    return True


def _is_a_list_of_strings(content: Any) -> bool:
    return isinstance(content, list) and bool(content) and all(isinstance(each, str) for each in content)


@twin("4.1", source="7, paragraph 2", at="create")
def malformed_body_server_error(_service: Service, call: Call) -> Reply | None:
    """A body that is not JSON causes a 500 with a page and creates nothing: no table covers such bodies."""
    return page(500, "<h1>Internal Server Error</h1>") if call.body and _content(call.body) is _MALFORMED else None


@twin("4.1", source="7, paragraph 2", at="create")
def other_json_server_error(_service: Service, call: Call) -> Reply | None:
    """The service iterates over a body that is no array of strings, and answers 500: no table covers such bodies."""
    wanted = _content(call.body) if call.body else _MALFORMED
    is_right = wanted is _MALFORMED or _is_a_list_of_strings(wanted)
    return None if is_right else page(500, "<h1>Internal Server Error</h1>")


@twin("4.1", source=sources.FASTAPI_VALIDATION, at="create")
def malformed_body_unprocessable(_service: Service, call: Call) -> Reply | None:
    """The service answers 422 with its own message to bodies that are no array of strings: no table covers these."""
    detail = [{"type": "json_invalid", "loc": ["body", 0], "msg": "JSON decode error", "input": {}}]
    error = {"error": "Unprocessable", "message": "The body cannot be read.", "detail": detail}
    return Reply.json(error, 422) if _is_unreadable(call) else None


@twin("7", source="7, table, row 2, Condition", at="create")
def every_body_refused_by_one_code(_service: Service, call: Call) -> Reply | None:
    """Bodies that are no array of strings get 400 and InvalidDataTypes, with the reason as the message."""
    return problem(400, "InvalidDataTypes", "The body is no list of data types.") if _is_unreadable(call) else None


@twin("4.1", source=sources.LAMBDA_502, at="create")
def odd_bodies_crash_a_function(_service: Service, call: Call) -> Reply | None:
    """A function crashes on a body that is no array of strings, and its gateway answers 502: no table covers such."""
    is_right = not call.body or call.body == b"[]" or _is_a_list_of_strings(_content(call.body))
    return None if is_right else Reply.json({"message": "Internal server error"}, 502)


@twin("4.1", source="4.1, item 1, sentence 1", of="wanted_types")
def repeated_type_kept(_service: Service, wanted: Any, call: Call) -> Any:
    """An array that names a type twice creates a request that names it twice."""
    return tuple(json.loads(call.body)) if call.body else wanted


@twin("4.1", source=sources.JSON_SCHEMA_UNIQUE, at="create")
def repeated_type_refused_by_the_framework(service: Service, call: Call) -> Reply | None:
    """The framework asks for unique elements: an array that names a type twice answers 400 with a code of its own."""
    listed = _content(call.body)
    repeats = isinstance(listed, list) and service.types_match(listed) and len(set(listed)) < len(listed)
    return problem(400, "ValidationFailed", "The body has the wrong form.") if repeats else None


@twin("7", source=sources.POSTGRESQL_NUL)
def nul_in_a_body_is_malformed(_service: Service, call: Call) -> Reply | None:
    """The parser refuses a NUL in a text as malformed: the specification leaves the answer open."""
    refused = problem(400, "Bad Request", "The body cannot be read.")
    return refused if b"\\u0000" in call.body else None


def _key(name: str) -> str:
    """Return the form of a type that a collation compares."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(each for each in plain if unicodedata.category(each)[0] not in "CM").rstrip()


@twin("4.1", {"4.1-similar-type": ("warn",)}, source=sources.MYSQL_CASE, by=lenient)
def types_compared_by_the_database(name: str, known: list[str]) -> list[str]:
    """A collation compares types: without case, accents, width, trailing white space and invisible characters."""
    return [next((each for each in known if _key(each) == _key(name)), name)]


def _blocked(status: int) -> Reply:
    """Return the answer of a component in front of the service."""
    return page(status, "<html><h1>Blocked</h1></html>")


@twin("4.1", source=sources.SPRING_CONVERTERS)
def other_labels_refused(_service: Service, call: Call) -> Reply | None:
    """A body without a JSON media type answers 415."""
    is_right = not call.body or call.headers.get("content-type") == "application/json"
    return None if is_right else problem(415, "Unsupported Media Type", "Send application/json.")


@twin("4.1", source=sources.OWASP_RULES)
def control_characters_blocked(_service: Service, call: Call) -> Reply | None:
    """A firewall answers 403 to bodies with control characters, escaped or not."""
    odd = re.search(rb"[\x00-\x08\x0e-\x1f\x7f]|\\u00[01]", call.body)
    return _blocked(403) if odd and call.operation is Action.CREATE else None


@twin("4.1", source=sources.OWASP_RULES)
def other_media_types_blocked(_service: Service, call: Call) -> Reply | None:
    """A firewall answers 403 to media types that its rules do not list, as the OWASP rules do."""
    label = (call.headers.get("content-type") or "application/json").partition(";")[0]
    return _blocked(403) if call.operation is Action.CREATE and label != "application/json" else None


@twin("4.1", source=sources.OWASP_RULES)
def other_encodings_blocked(_service: Service, call: Call) -> Reply | None:
    """A firewall that reads bodies answers 400 to bytes that are not UTF-8."""
    try:
        call.body.decode()
    except UnicodeDecodeError:
        return _blocked(400)
    return None


@twin("4.1", source=sources.GO_JSON, data_types=numbered(1))
def byte_order_mark_refused(_service: Service, call: Call) -> Reply | None:
    """A parser that reads no byte order mark answers 400 with its own message; the service lists one type."""
    return problem(400, "Malformed", "no JSON") if call.body.startswith(BOM) else None


@twin("8", source=sources.NGINX_BODY_SIZE)
def long_bodies_refused(_service: Service, call: Call) -> Reply | None:
    """Bodies of more than two kilobytes answer 413: the specification does not state sizes."""
    return _blocked(413) if len(call.body) > 2048 else None


@twin("4.2", source=sources.TOMCAT_PATHS)
def odd_paths_refused(_service: Service, call: Call) -> Reply | None:
    """A proxy answers 400 to paths with characters other than letters, digits and hyphens."""
    odd = call.operation in (Action.READ, Action.DELETE) and re.search(r"[^0-9A-Za-z_-]", call.request_id)
    return _blocked(400) if odd or len(call.request_id) > 255 else None


@twin("4", source=sources.NODE_HEADERS)
def odd_headers_refused(_service: Service, call: Call) -> Reply | None:
    """Requests for formats, ranges or headers that the service does not support answer 406, 416 or 431."""
    if sum(len(value) for value in call.headers.values()) > 2500:
        return _blocked(431)
    if "range" in call.headers:
        return _blocked(416)
    accepted = call.headers.get("accept", "*/*")
    return None if "*/*" in accepted or "json" in accepted else _blocked(406)


@twin("4", run={"budget": Budget(max_created=2_000, thorough=True)}, source=sources.NODE_HEADERS)
def odd_paths_and_headers_refused(service: Service, call: Call) -> Reply | None:
    """A gateway refuses odd paths and headers alike, of which a thorough run sends each that the suite knows."""
    return odd_headers_refused(service, call) or odd_paths_refused(service, call)


@twin("4.2", source=sources.POSTGRESQL_UUID, at="perform")
def identifiers_found_in_any_form(_service: Service, call: Call) -> None:
    """The service compares identifiers as numbers: without hyphens, in braces, as URNs, in capitals."""
    call.request_id = str(uuid_in(call.request_id) or call.request_id)


@twin("4.2", source=sources.FASTAPI_VALIDATION)
def words_for_identifiers_are_malformed(service: Service, call: Call) -> Reply | None:
    """The framework answers 400 with its own message to identifiers that are not UUIDs."""
    is_named = call.operation in (Action.READ, Action.DELETE) and service.authenticate(call) is not None
    malformed = problem(400, "Bad Request", "requestId must be a UUID")
    return malformed if is_named and uuid_in(call.request_id) is None else None


@twin("8", source="8, table, row 1", at="create")
def two_types_at_a_time(_service: Service, call: Call) -> Reply | None:
    """A creation names at most two types: the specification does not state how many."""
    listed = parse(call.body).value
    too_many = isinstance(listed, list) and len(listed) > 2 and all(isinstance(each, str) for each in listed)
    return problem(422, "Too many", "Name at most two types at a time.") if too_many else None
