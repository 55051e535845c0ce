"""Faults of clauses 4 and 7 that near misses show: of types, of identifiers, of single characters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from conformance.calibration import sources
from conformance.calibration.operators import again, answering, changing, crash, lenient, page, problem, uuid_in
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.service import Service

_UNKNOWN = "7-invalid-data-types"
_unknown = partial(add_fault, _UNKNOWN)
"""Declares a fault that takes an unknown type for a known one, or answers it otherwise."""
_SIMILAR = "4.1-similar-type"
_LISTED = "2.1-dataRequested-known"


_unknown(
    "types-compared-by-their-beginning",
    "The column is shorter than the string: the service stores a string that begins with a type as that type.",
    lenient(lambda name, known: [next((each for each in known if name.startswith(each)), name)]),
    consequences=(_SIMILAR,),
)
_unknown(
    "types-split-at-commas",
    "The service splits a string at its commas, from the time when the types came in the query.",
    lenient(lambda name, _known: name.split(",")),
)
_unknown(
    "types-matched-as-patterns",
    "The look-up takes a string for the pattern of a name, as that of keys in Redis does.",
    lenient(lambda name, known: [each for each in known if fnmatchcase(each, name)] or [name]),
)
_unknown(
    "types-dropped-if-empty",
    "A filter drops empty strings from the list, as array_filter of PHP does, and a list of known types is left.",
    lenient(lambda name, _known: [name] if name else []),
)
_unknown(
    "types-have-a-word-for-all",
    "A former release had the word all, which still stands for every type.",
    lenient(lambda name, known: known if name.lower() == "all" else [name]),
)
_unknown(
    "types-matched-by-like",
    "The statement compares types by LIKE of SQL, for which % stands for any text.",
    lenient(lambda name, known: known if name == "%" else [name]),
)
_unknown(
    "types-found-by-their-place",
    "The look-up takes a number for the place in the list of types, as that of arrays in PHP does.",
    lenient(lambda name, known: [known[0] if name == "0" else name]),
)
_unknown(
    "types-cut-at-a-slash",
    "The service looks for the type with which a path begins.",
    lenient(lambda name, known: [name if name in known else name.partition("/")[0]]),
)
_unknown(
    "types-cut-at-a-fragment",
    "The service takes types for links, and cuts their fragment off.",
    lenient(lambda name, known: [name if name in known else name.partition("#")[0]]),
)
add_fault(
    _SIMILAR,
    "types-compared-in-any-letter-case",
    "The service compares types without regard to case.",
    lenient(lambda name, known: [next((each for each in known if each.lower() == name.lower()), name)]),
)
add_fault(
    _SIMILAR,
    "types-compared-after-trimming",
    "The framework trims every string that it receives.",
    lenient(lambda name, known: [name if name in known else name.strip()]),
)


_BROKEN = problem(500, "InternalServerError", "Something went wrong.")


@fault("2.1-dataRequested", _LISTED, source=sources.ECMASCRIPT_KEYS, at="types_match")
def list_of_one_type_is_as_good_as_the_type(service: Service, wanted: list[Any]) -> bool:
    """The types are properties of a JavaScript object, where the key ["x"] is read as "x"."""
    wanted[:] = [tuple(each) if isinstance(each, list) else each for each in wanted]
    keys = [each[0] if isinstance(each, tuple) and len(each) == 1 else each for each in wanted]
    return Service.types_match(service, keys)


@fault("7-not-found", source=sources.POSTGRESQL_LIKE, at="read")
def requests_compared_by_like(service: Service, call: Call) -> Reply | None:
    """The statement compares identifiers by LIKE of SQL, for which an underscore stands for any character."""
    pattern = re.compile(re.escape(call.request_id).replace("_", "."))
    own = (each.id for each in service.store.of(call.owner))
    call.request_id = next(filter(pattern.fullmatch, own), call.request_id)
    return None


def _stored_as_sent(compared: Callable[[str], str]) -> type[Service]:
    """Return the service that compares another form of strings with the types, and stores the string as sent."""

    def types_match(service: Service, wanted: list[Any]) -> bool:
        names = {compared(each) for each in service.type_names}
        return all(isinstance(each, str) and compared(each) in names for each in wanted)

    return answering(types_match, "types_match")


@fault(_LISTED, source=sources.MYSQL_PADDING, by=_stored_as_sent)
def types_stored_with_their_white_space(name: str) -> str:
    """The service ignores white space when it compares a type, but stores the string as sent."""
    return name.strip()


@fault(_LISTED, source=sources.MYSQL_CASE, by=_stored_as_sent)
def types_stored_in_any_case(name: str) -> str:
    """The database ignores case when it compares a type, but the service stores the string as sent."""
    return name.casefold()


@fault(_LISTED, source=sources.PYTHON_DOLLAR, by=_stored_as_sent)
def types_matched_up_to_a_line_feed(name: str) -> str:
    """The pattern for types ends in $, which matches before a line feed at the end of a string as well."""
    return name.removesuffix("\n")


def _strings(call: Call) -> list[str]:
    """Return the strings of a body; none if it is no list of strings."""
    try:
        wanted = json.loads(call.body)
    except (ValueError, RecursionError):
        return []
    return wanted if isinstance(wanted, list) and all(isinstance(each, str) for each in wanted) else []


def _is_unbalanced(name: str) -> bool:
    return any(name.count(opened) != name.count(closed) for opened, closed in ("()", "[]"))


@fault(_UNKNOWN, source=sources.MONGODB_REGEX, at="create")
def types_with_a_bracket_break_the_pattern(service: Service, call: Call) -> Reply | None:
    """The string is put into a pattern: an unbalanced bracket cannot be compiled (MongoDB's $regex, PCRE)."""
    unknown = [each for each in _strings(call) if each not in service.type_names]
    return _BROKEN if any(map(_is_unbalanced, unknown)) else None


@fault(_UNKNOWN, source=sources.LINQ_SINGLE, at="create")
def only_one_unknown_type_is_expected(service: Service, call: Call) -> Reply | None:
    """The refusal names the unknown type by a function for a single element (LINQ Single, Guava getOnlyElement)."""
    unknown = {each for each in _strings(call) if each not in service.type_names}
    return _BROKEN if len(unknown) > 1 else None


def _version(request_id: str) -> int | None:
    known = uuid_in(request_id)
    return known.version if known else None


@fault("7-not-found", source=sources.DJANGO_DATABASE_ERRORS, at="read")
def old_identifiers_are_sought_in_a_dropped_table(_service: Service, call: Call) -> Reply | None:
    """Identifiers of version 1 lead to the table of a former release, which was dropped (Django's ProgrammingError)."""
    return _BROKEN if _version(call.request_id) == 1 else None


_NOT_FOUND = "7-not-found"


def _found_by(half: slice) -> type[Service]:
    """Return the service whose look-up compares one half of the identifiers."""

    def of_one_half(service: Service, call: Call) -> Any:
        own = service.store.of(call.owner)
        return next((each for each in own if each.id[half] == call.request_id[half]), None)

    return answering(of_one_half, "find")


for _name, _half in (("first", slice(19)), ("last", slice(19, None))):
    add_fault(
        _NOT_FOUND,
        f"requests-found-by-the-{_name}-half",
        f"The column is a number of 64 bits, which holds the {_name} half of a UUID.",
        _found_by(_half),
    )

_UUID = re.compile(r"[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}")


_unknown(
    "types-end-at-nul",
    "The service passes the names to a library in C, for which NUL ends a string.",
    lenient(lambda name, _known: [name.partition("\0")[0]]),
)
_unknown(
    "types-end-at-letters-of-four-bytes",
    "The column stores characters of three bytes, and the database cuts a text at the first character of four bytes.",
    lenient(lambda name, _known: [re.split(r"[\U00010000-\U0010ffff]", name)[0]]),
)


def _failing(breaks: Callable[[str], bool]) -> type[Service]:
    """Return the service that answers 500 where it has to refuse some types."""

    def finish(_service: Service, reply: Reply, _reply: Reply, call: Call) -> Reply:
        is_broken = call.condition is ErrorCondition.DATA_TYPES and any(map(breaks, _strings(call)))
        return crash("syntax error at or near") if is_broken else reply

    return changing("finish", finish)


_unknown(
    "types-with-an-apostrophe-fail",
    "The service builds the query from texts, and an apostrophe ends a text too early.",
    _failing(lambda name: "'" in name),
)
_unknown(
    "types-with-a-dot-fail",
    "A type is a key of the texts, and a dot leads to a key below it.",
    _failing(lambda name: "." in name),
)
_unknown(
    "types-with-a-colon-fail",
    "What stands before a colon is a module, of which there is none.",
    _failing(lambda name: ":" in name),
)
_unknown(
    "types-with-a-percent-sign-fail",
    "The message is a format, and has the type in it.",
    _failing(lambda name: "%" in name),
)
_unknown(
    "types-with-a-backslash-fail",
    "A type is a pattern, which no backslash may escape.",
    _failing(lambda name: "\\" in name),
)
_unknown(
    "types-of-70-characters-fail",
    "The column takes 64 characters, and a longer text is an error.",
    _failing(lambda name: len(name) > 64),
)


def _refusing(reply: Reply, is_known: Callable[[str], object], *operations: Action) -> type[Service]:
    """Return the service that gives `reply` to a valid token and an identifier that its pattern does not match."""

    def answer(service: Service, call: Call) -> Reply | None:
        named = call.operation in operations and service.authenticate(call) is not None
        return again(reply) if named and not is_known(call.request_id) else None

    return answering(answer)


_MALFORMED = problem(400, "Bad Request", "requestId is malformed")
add_fault(
    _NOT_FOUND,
    "identifiers-of-version-four-only",
    "The validation of the path requires a UUID of version 4.",
    _refusing(_MALFORMED, lambda request_id: _version(request_id) == 4, Action.READ, Action.DELETE),
)
add_fault(
    _NOT_FOUND,
    "identifier-of-zeros-is-none",
    "Guid.Empty stands for a missing value, which an assertion of the service does not let pass.",
    _refusing(_MALFORMED, lambda request_id: request_id.strip("0-"), Action.READ, Action.DELETE),
)
for _operation, _verb in ((Action.READ, "read"), (Action.DELETE, "deleted")):
    add_fault(
        _NOT_FOUND,
        f"word-for-an-identifier-{_verb}-server-error",
        "The service passes the identifier unchecked to a column of type uuid, and the database raises an error.",
        _refusing(page(500, "<h1>Internal Server Error</h1>"), _UUID.fullmatch, _operation),
    )
