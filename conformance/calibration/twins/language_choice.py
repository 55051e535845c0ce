"""Twins with an unusual choice or list of languages: 4.5 does not show how to choose one."""

from __future__ import annotations

from conformance.calibration.sources import NEGOTIATION, NOT_ACCEPTABLE
from conformance.calibration.twins.common import NO_LANGUAGE, UNDECIDED, settings_with
from conformance.calibration.variant import add_twin, twin
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service

add_twin(
    "4.5",
    "language-by-query-locale",
    "The language is the query parameter locale, a usual one.",
    NO_LANGUAGE,
    language_selector="query:locale",
)


_NEEDS_TYPES = dict.fromkeys((row.id for row in catalogue().rows.values() if row.level is not Level.OPEN), UNDECIDED)
"""Nearly all checks need the data types, which GET /data lists only if the call chooses a language."""


@twin("4.5", _NEEDS_TYPES, language_selector="query:taal", source="7, table, row 3, Condition")
class _DataTypesWantALanguage(Service):
    """The language is a required parameter: the service refuses a call without it as clause 7 states."""

    def language(self, call: Call) -> str:
        if not self.language_asked(call):
            raise RefusedError(ErrorCondition.LANGUAGE)
        return super().language(call)


@twin("4.5", NO_LANGUAGE, in_part=True, source=NEGOTIATION)
class _LanguageNegotiatedSoftly(Service):
    """Accept-Language is a preference: an unsupported language falls back to the first."""

    def language(self, call: Call) -> str:
        try:
            return super().language(call)
        except RefusedError:
            return self.config.languages[0]


class _Fixed(Service):
    """Supports one language; `extra` differs between its answers."""

    def language_asked(self, call: Call) -> str:  # noqa: ARG002 the same for all
        return ""


@twin("4.5", NO_LANGUAGE, in_part=True, source="4.5, item 1, sentence 2")
class _QueriesRefused(_Fixed):
    """A gateway answers 400 with its own message to every query parameter, because the interface names none."""

    async def perform(self, call: Call) -> Reply:
        if call.query:
            return Reply.json({"title": "Unexpected parameter"}, 400)
        return await super().perform(call)


add_twin(
    "4.5",
    "languages-listed-by-their-own-names",
    "Languages have names in their own scripts.",
    NO_LANGUAGE,
    in_part=True,
    service=type("_Listed", (_Fixed, settings_with(supportedLanaguages=["Français", "Ελληνικά", "中文"])), {}),
)


@twin("4.4", source=NOT_ACCEPTABLE)
class _OtherLanguagesAreNotAcceptable(Service):
    """GET /settings has one language, and answers 406, as HTTP permits, where Accept-Language names only others."""

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is Action.SETTINGS and self.language_asked(call) not in ("", self.config.languages[0]):
            return Reply.json({"error": "Not Acceptable", "message": "These texts have other languages."}, 406)
        return await super().shortcut(call)
