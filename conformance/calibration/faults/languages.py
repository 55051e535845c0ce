"""Faults that depend on the language of the call: clauses 1.4, 2, 4 and 7."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from conformance.calibration import sources
from conformance.calibration.faults.common import NAMES
from conformance.calibration.operators import again, crash, on_error, put
from conformance.calibration.variant import add_fault, fault
from conformance.model.target import LanguageSelector
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_TYPE = "2.2-type-in-every-language"


@fault(_TYPE, of="data_type")
def type_translated(service: Service, document: Any, _type: object, language: str, _call: Call) -> Any:
    """The translators received the whole file, identifiers included."""
    is_first = language == service.config.languages[0]
    return document if is_first else document | {"type": f"{document['type']} ({language})"}


@fault(_TYPE, of="data_type")
def type_with_language_behind(service: Service, document: Any, _type: object, language: str, _call: Call) -> Any:
    """The table has one row for each language, and its identifiers differ."""
    is_first = language == service.config.languages[0]
    return document if is_first else document | {"type": f"{document['type']}-{language}"}


@fault("2.3-privacyPolicy", "1.4-every-parameter", "4.4-answers-200", source=sources.TRANSLATED_FIELDS, of="settings")
def privacy_policy_null_in_other_languages(service: Service, settings: Any, call: Call) -> Any:
    """The table has a column for each language, and one translation is missing."""
    return settings if service.language(call) == service.config.languages[0] else settings | {"privacyPolicy": None}


@fault("4.5-answers-200", "4.5-array", source=sources.DJANGO_LANGUAGE, of="language_asked")
def language_kept_for_the_next_call(service: Service, asked: str, _call: Call) -> Any:
    """The language of a call is set for the whole process: after a refused language, other calls are refused too."""
    service.kept["language"] = asked or service.kept.get("language", "")
    return service.kept["language"]


@fault(
    "7-language-not-supported",
    "7-language-not-supported-*",
    run={"language_selector": LanguageSelector("header", "Accept-Language")},
    source=sources.VARY,
    at="perform",
)
async def data_types_are_cached_without_language(service: Service, call: Call) -> Reply | None:
    """A cache in front of the service keeps the list by its address, without regard to Accept-Language."""
    if call.operation is not Action.DATA:
        return None
    address = repr(sorted(call.query.items()))
    if address not in service.kept:
        service.kept[address] = await Service.perform(service, call)
    return again(service.kept[address])


_DUTCH = "Dit kan niet worden uitgevoerd."


def _reads_english_without_a_token(call: Call) -> bool:
    return call.headers.get("accept-language", "").lower().startswith("en") and not call.authorization


add_fault(
    "7-unauthorized-message",
    "unauthorized-message-translated-for-en-without-a-token",
    "One of the messages has a translation without a token, which clients that accept en receive.",
    on_error(put(message=_DUTCH), ErrorCondition.UNAUTHORIZED, among=_reads_english_without_a_token),
)


@fault(
    "4.4-answers-200",
    "4.1-answers-200",
    "4.2-answers-200",
    "4.3-answers-ok",
    source="7, table, row 3, Operation",
    at="perform",
)
def languages_are_refused_before_every_call(service: Service, call: Call) -> None:
    """What refuses a language for GET /data stands before all paths, so that it refuses creations too."""
    if call.operation is Action.SETTINGS or service.authenticate(call):
        service.language(call)


_ARABIC: Final = str.maketrans("0123456789", "\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669")


@fault(
    "2.1-createdAt",
    "2.1-createdAt-value",
    "4.2-agrees-with-creation",
    languages=("en", "nl", "ar"),
    source=sources.JAVA_FORMATTER,
    of="document",
)
def created_at_in_the_digits_of_the_language(service: Service, shown: Any, _request: DataRequest, call: Call) -> Any:
    """A creation writes its moment with the locale of the call, which has digits of its own."""
    is_arabic = call.operation is Action.CREATE and service.language_asked(call).startswith("ar")
    return shown | {"createdAt": shown["createdAt"].translate(_ARABIC)} if is_arabic else shown


@fault("4.3-answers-ok", "3-deletes-completed", of="finish")
def deletion_confirmed_in_the_language_of_the_call(service: Service, reply: Reply, _reply: Reply, call: Call) -> Reply:
    """The word OK stands in the file of the translators."""
    is_german = call.operation is Action.DELETE and service.language_asked(call).startswith("de")
    return replace(reply, body=b"In Ordnung") if is_german and reply.status == 200 else reply


def _is_supported(service: Service, call: Call) -> bool:
    with suppress(RefusedError):
        return bool(service.language(call))
    return False


@fault("7-language-not-supported", source="7, table, row 3, Condition", at="data")
def unsupported_language_lists_nothing(service: Service, call: Call) -> Any:
    """The query takes the texts of one language, and there are none in a language that is not supported."""
    return None if _is_supported(service, call) else []


@fault("2.2-description", "7-language-not-supported", source="2.2, table, row 2, Type", at="data")
def unsupported_language_has_no_descriptions(service: Service, call: Call) -> Any:
    """The query joins the texts of a language that may be missing: the descriptions are null."""
    types = [service.data_type(each, service.config.languages[0], call) for each in service.types]
    return None if _is_supported(service, call) else [each | {"description": None} for each in types]


@fault("4.1-answers-200", "4.2-answers-200", "4.3-answers-ok", of="finish")
def any_language_is_no_locale(service: Service, reply: Reply, _reply: Reply, call: Call) -> Reply:
    """A locale is made of Accept-Language for the answer, and * is none: the default of fetch in Node.js."""
    fails = call.operation in NAMES and service.language_asked(call) == "*"
    return crash("Invalid language tag: *") if fails else reply


@fault("7-language-not-supported", at="language")
def languages_of_the_website_fall_back(service: Service, call: Call) -> str | None:
    """The languages of the website fall back to the first one, though the texts of the data types have fewer."""
    known = service.config.languages
    return known[0] if service.language_asked(call)[:2] in {"de", "en", "es", "fr"}.difference(known) else None


@fault("7-language-not-supported", source=sources.LANGUAGE_LOOKUP, at="language")
def language_with_a_region_falls_back(service: Service, call: Call) -> str | None:
    """Tags with a region are not in the table, and the service ignores tags that do not have two letters."""
    return service.config.languages[0] if "-" in service.language_asked(call) else None
