"""Twins that choose the language in another way, or whose texts differ for another reason, as clause 4.5 allows."""

from __future__ import annotations

from typing import Any, Final

from conformance.calibration.twins.common import NO_LANGUAGE
from conformance.calibration.variant import add_twin, twin
from conformance.model.target import LanguageSelector
from conformance.reference.call import Call, ErrorCondition, RefusedError
from conformance.reference.config import DataType
from conformance.reference.service import Service

add_twin("4.5", "language-by-query-lang", "The query has lang.", NO_LANGUAGE, language_selector="query:lang")
add_twin(
    "4.5",
    "language-by-query-language",
    "The language is the query parameter language.",
    NO_LANGUAGE,
    language_selector="query:language",
)
add_twin(
    "4.5",
    "language-by-own-header",
    "An undocumented header of the service chooses the language.",
    NO_LANGUAGE,
    language_selector="header:X-Preferred-Tongue",
    in_part=True,
)
add_twin("4.5", "one-language-only", "One language only.", NO_LANGUAGE, language_selector=None, languages=("nl",))
add_twin(
    "4.5",
    "languages-with-regions",
    "The settings list languages with regions and scripts.",
    NO_LANGUAGE,
    languages=("en-GB", "nl-NL", "zh-Hant-TW"),
)
add_twin(
    "4.5", "no-languages-listed", "supportedLanaguages is empty.", NO_LANGUAGE, languages=(), language_selector=None
)


@twin("4.5", NO_LANGUAGE, in_part=True, source="4.5, item 4")
class _LanguageIgnored(Service):
    """The settings list several languages, and GET /data always answers in the first."""

    def language_asked(self, call: Call) -> str:  # noqa: ARG002 the same for all
        return ""


@twin("4.5", NO_LANGUAGE, in_part=True, source="4.5, item 4")
class _AllLanguagesAccepted(Service):
    """The service supports every language by machine translation."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"supportedLanaguages": [*self.config.languages, "fr", "es", "pt-BR"]}

    def language(self, call: Call) -> str:
        return self.language_asked(call).partition(",")[0].partition(";")[0].strip() or self.config.languages[0]


@twin("4.5", NO_LANGUAGE, source="4.5, item 4")
class _SameTextsInEveryLanguage(Service):
    """The service accepts and refuses languages as stated, but its texts are not translated yet."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        return super().data_type(data_type, language, call) | {"description": data_type.described_in("en")}


@twin("4.5", NO_LANGUAGE, in_part=True, source="2.3, table, row 9, Meaning, sentence 1")
class _LanguagesListedByName(Service):
    """The settings list languages by name, and GET /data accepts tags: 4.5 does not show how to choose one."""

    def settings(self, call: Call) -> Any:
        names = {"en": "English", "nl": "Nederlands", "de": "Deutsch"}
        return super().settings(call) | {
            "supportedLanaguages": [names.get(each, each) for each in self.config.languages]
        }


_HEADER: Final = {"language_selector": LanguageSelector("header", "Accept-Language")}


@twin("4.5", run=_HEADER, source="2.3, table, row 9, Meaning, sentence 1")
class _LanguagesListedAsLocales(Service):
    """The settings list locales such as en_GB, and Accept-Language has en-GB."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"supportedLanaguages": [f"{each}_XX" for each in self.config.languages]}

    def language(self, call: Call) -> str:
        if "_" in self.language_asked(call):
            raise RefusedError(ErrorCondition.LANGUAGE)
        return super().language(call)


@twin("4.5", name="languages-listed-as-locales-found", source="2.3, table, row 9, Meaning, sentence 1")
class _LanguagesListedAsLocalesFound(_LanguagesListedAsLocales):
    """The same, without an option that names the header."""
