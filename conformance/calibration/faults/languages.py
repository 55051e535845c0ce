"""Faults that depend on the language of the call: clauses 1.4, 2, 4 and 7."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

from conformance.calibration import sources
from conformance.calibration.faults.common import translated
from conformance.calibration.operators import changing
from conformance.calibration.variant import add_fault, fault
from conformance.model.target import LanguageSelector
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.service import Service

_TYPE = "2.2-type-in-every-language"


def _elsewhere(change: Callable[[dict[str, Any], str], dict[str, Any]]) -> type[Service]:
    """Return the service whose data types are changed in every language but the first."""

    return changing(
        "data_type",
        lambda service, document, _type, language, _call: (
            document if language == service.config.languages[0] else change(document, language)
        ),
    )


for _name, _summary, _service in (
    (
        "type-translated",
        "The translators received the whole file, identifiers included.",
        _elsewhere(lambda document, language: document | {"type": f"{document['type']} ({language})"}),
    ),
    (
        "type-with-language-behind",
        "The table has one row for each language, and its identifiers differ.",
        _elsewhere(lambda document, language: document | {"type": f"{document['type']}-{language}"}),
    ),
):
    add_fault(_TYPE, _name, _summary, _service)


@fault("2.3-privacyPolicy", "1.4-every-parameter", "4.4-answers-200", source=sources.TRANSLATED_FIELDS, of="settings")
def privacy_policy_null_in_other_languages(service: Service, settings: Any, call: Call) -> Any:
    """The table has a column for each language, and one translation is missing."""
    return settings if service.language(call) == service.config.languages[0] else settings | {"privacyPolicy": None}


@fault("4.5-answers-200", "4.5-array", source=sources.DJANGO_LANGUAGE)
class _LanguageKeptForTheNextCall(Service):
    """The language of a call is set for the whole process: after a refused language, other calls are refused too."""

    _kept = ""

    def language_asked(self, call: Call) -> str:
        self._kept = super().language_asked(call) or self._kept
        return self._kept


@fault(
    "7-language-not-supported",
    "7-language-not-supported-error",
    "7-language-not-supported-message",
    run={"language_selector": LanguageSelector("header", "Accept-Language")},
    source=sources.VARY,
)
class _DataTypesAreCachedWithoutLanguage(Service):
    """A cache in front of the service keeps the list by its address, without regard to Accept-Language."""

    kept = cached_property(lambda _: dict[str, Reply]())

    async def perform(self, call: Call) -> Reply:
        if call.operation is not Action.DATA:
            return await super().perform(call)
        address = repr(sorted(call.query.items()))
        if address not in self.kept:
            self.kept[address] = await super().perform(call)
        return replace(self.kept[address], headers=dict(self.kept[address].headers))


_DUTCH = "Dit kan niet worden uitgevoerd."


def _reads_english(call: Call) -> bool:
    return call.headers.get("accept-language", "").lower().startswith("en")


add_fault(
    "7-unauthorized-message",
    "unauthorized-message-translated-for-en-without-a-token",
    "One of the messages has a translation without a token, which clients that accept en receive.",
    translated(ErrorCondition.UNAUTHORIZED, _DUTCH, lambda call: _reads_english(call) and not call.authorization),
)


@fault("4.4-answers-200", "4.1-answers-200", "4.2-answers-200", "4.3-answers-ok", source="7, table, row 3, Operation")
class _LanguagesAreRefusedBeforeEveryCall(Service):
    """What refuses a language for GET /data stands before all paths, so that it refuses creations too."""

    async def perform(self, call: Call) -> Reply:
        if call.operation is Action.SETTINGS or self.authenticate(call):
            self.language(call)
        return await super().perform(call)


@fault("7-language-not-supported", source=sources.LANGUAGE_LOOKUP)
class _LanguageWithARegionFallsBack(Service):
    """Tags with a region are not in the table, and the service ignores tags that do not have two letters."""

    def language(self, call: Call) -> str:
        return self.config.languages[0] if "-" in self.language_asked(call) else super().language(call)
