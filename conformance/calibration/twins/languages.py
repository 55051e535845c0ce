"""Twins that choose the language in another way, or whose texts differ for another reason, as clause 4.5 allows."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import Any, Final

from conformance.calibration.twins.common import NO_LANGUAGE, UNDECIDED
from conformance.calibration.variant import add_twin, twin
from conformance.model.language_selector import LanguageSelector
from conformance.reference.call import Call, ErrorCondition, RefusedError, Reply
from conformance.reference.config import DataType
from conformance.reference.service import Service

_TAKEN_OFF_AT: Final = 12
"""Number of calls after which the run has read the settings but not the languages."""

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


@twin("4.5", NO_LANGUAGE, in_part=True)
class _LanguageIgnored(Service):
    """The settings list several languages, and GET /data always answers in the first."""

    def language_asked(self, call: Call) -> str:  # noqa: ARG002 the same for all
        return ""


@twin("4.5", NO_LANGUAGE, in_part=True)
class _LanguageOfTheSession(Service):
    """The language is that of the user's account; a call cannot choose one."""

    def language(self, call: Call) -> str:
        return self.config.languages[0 if call.user is None else -1]


@twin("4.5", NO_LANGUAGE, in_part=True)
class _AllLanguagesAccepted(Service):
    """The service supports every language by machine translation."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"supportedLanaguages": [*self.config.languages, "fr", "es", "pt-BR"]}

    def language(self, call: Call) -> str:
        return self.language_asked(call).partition(",")[0].partition(";")[0].strip() or self.config.languages[0]


@twin("4.5", NO_LANGUAGE)
class _SameTextsInEveryLanguage(Service):
    """The service accepts and refuses languages as stated, but its texts are not translated yet."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        return super().data_type(data_type, language, call) | {"description": data_type.described_in("en")}


@twin("4.5", NO_LANGUAGE, in_part=True)
class _LanguagesListedByName(Service):
    """The settings list languages by name, and GET /data accepts tags: 4.5 does not show how to choose one."""

    def settings(self, call: Call) -> Any:
        names = {"en": "English", "nl": "Nederlands", "de": "Deutsch"}
        return super().settings(call) | {
            "supportedLanaguages": [names.get(each, each) for each in self.config.languages]
        }


_HEADER: Final = {"language_selector": LanguageSelector("header", "Accept-Language")}


@twin("4.5", NO_LANGUAGE, name="languages-listed-by-name-with-selector", run=_HEADER)
class _LanguagesListedByNameWithSelector(_LanguagesListedByName):
    """The same; the options of the run name Accept-Language."""


class _Locales(Service):
    """Settings list locales such as en_XX; Accept-Language names languages by tags such as en-XX."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"supportedLanaguages": [f"{each}_XX" for each in self.config.languages]}


@twin("4.5", run=_HEADER)
class _LanguagesListedAsLocales(_Locales):
    """The settings list locales such as en_GB, and Accept-Language has en-GB."""

    def language(self, call: Call) -> str:
        if "_" in self.language_asked(call):
            raise RefusedError(ErrorCondition.LANGUAGE)
        return super().language(call)


@twin("4.5", name="languages-listed-as-locales-found")
class _LanguagesListedAsLocalesFound(_LanguagesListedAsLocales):
    """The same, without an option that names the header."""


@twin("4.5")
class _LocalesInTheHeaderIgnored(_Locales):
    """The framework lists its locales, such as en_GB, and ignores what Accept-Language does not name by a tag."""

    def language(self, call: Call) -> str:
        return self.config.languages[0] if "_" in self.language_asked(call) else super().language(call)


@twin("4.5", language_selector="query:locale")
class _LocalesInTheQuery(_Locales):
    """Locales are listed, and the query takes them as they are listed: a tag such as en-GB is refused."""

    def language_asked(self, call: Call) -> str:
        asked = super().language_asked(call)
        if "-" in asked:
            raise RefusedError(ErrorCondition.LANGUAGE)
        return asked.replace("_", "-")


@twin("2.3", NO_LANGUAGE | {"4.5-supported-languages": UNDECIDED})
class _LanguageTakenOffInBetween(Service):
    """During the run, the service removes the last language from the list and refuses it."""

    async def shortcut(self, call: Call) -> Reply | None:
        if self.turn("call") == _TAKEN_OFF_AT:
            self.config = replace(self.config, languages=self.config.languages[:-1])
        return await super().shortcut(call)


@twin("2.3", NO_LANGUAGE)
class _LanguageAddedInBetween(Service):
    """During the run, the service adds the first refused language to the list and supports it."""

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        reply = super().refuse(condition, call)
        if condition is ErrorCondition.LANGUAGE and self.turn("languages missed") == 0:
            self.config = replace(self.config, languages=(*self.config.languages, self.language_asked(call)))
        return reply


def _query(call: Call) -> str:
    return "&".join(f"{name}={value}" for name, value in call.query.items())


@twin("4.5", NO_LANGUAGE, language_selector=None, in_part=True)
class _ThreeNodesOneWithAnotherText(Service):
    """The service supports one language; one of three nodes has an older text."""

    def data(self, call: Call) -> Any:
        listing = super().data(call)
        if self.turn("node") % 3:
            return listing
        return [each | {"description": f"{each['description']} (2025)"} for each in listing]


@twin("4.5", NO_LANGUAGE, language_selector=None, in_part=True)
class _CachedByAddressWithTheMoment(Service):
    """The service supports one language; texts contain their date of creation, and a cache keeps them by address."""

    def data(self, call: Call) -> Any:
        cached: dict[str, Any] = self.__dict__.setdefault("_cached", {})
        if _query(call) not in cached:
            state = self.turn("state")
            cached[_query(call)] = [
                each | {"description": f"{each['description']} (state of {state})"} for each in super().data(call)
            ]
        return cached[_query(call)]


@twin("4.5", NO_LANGUAGE, language_selector=None, in_part=True)
class _ContextRepeatsTheQuery(Service):
    """The service supports one language, and context contains the address of the call."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        context = f"https://shop.example{self.config.path_prefix}/data?{_query(call)}#{data_type.type}"
        return super().data_type(data_type, language, call) | {"context": context}


@twin("4.5", NO_LANGUAGE, language_selector=None, in_part=True)
class _TextsByTheAddress(Service):
    """The service supports one language; a hash of the address selects one of two texts for an experiment."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        text = f"{data_type.described_in(language)} ({'AB'[zlib.crc32(_query(call).encode()) % 2]})"
        return super().data_type(data_type, language, call) | {"description": text}


@twin("4.5")
class _EsperantoListedByName(Service):
    """The settings list languages by name, including Esperanto, and a call may use the name or the code."""

    listed = ("English", "Nederlands", "Esperanto")
    known = ("english en eng", "nederlands nl nld", "esperanto eo epo")

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"supportedLanaguages": list(self.listed)}

    def language(self, call: Call) -> str:
        asked = call.query.get("lang", "").lower()
        found = [names.split()[1] for names in self.known if asked in names.split()]
        if asked and not found:
            raise RefusedError(ErrorCondition.LANGUAGE)
        return found[0] if found else "en"


@twin("4.5")
class _EsperantoListedByThreeLetters(_EsperantoListedByName):
    """The settings list languages by codes of three letters, and a call may also use two letters."""

    listed = ("eng", "nld", "epo")
