"""Twins with an unusual choice or list of languages: 4.5 does not show how to choose one."""

from __future__ import annotations

from typing import Any

from conformance.calibration.twins.common import NO_LANGUAGE, UNDECIDED, settings_with
from conformance.calibration.variant import add_twin, twin
from conformance.model.language_selector import LanguageSelector
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.config import DataType
from conformance.reference.service import Service

for _name, _known in (("locale", "a usual one"), ("ui_locales", "which is undocumented")):
    add_twin(
        "4.5",
        f"language-by-query-{_name.replace('_', '-')}",
        f"The language is the query parameter {_name}, {_known}.",
        NO_LANGUAGE,
        language_selector=f"query:{_name}",
        in_part=_name == "ui_locales",
    )


class _WantsALanguage(Service):
    def language(self, call: Call) -> str:
        if not self.language_asked(call):
            raise RefusedError(ErrorCondition.LANGUAGE)
        return super().language(call)


_NEEDS_TYPES = dict.fromkeys((row.id for row in catalogue().rows.values() if row.level is not Level.OPEN), UNDECIDED)
"""Nearly all checks need the data types, which GET /data lists only if the call chooses a language."""


@twin("4.5", _NEEDS_TYPES, language_selector="query:taal")
class _DataTypesWantALanguage(_WantsALanguage):
    """The language is a required parameter: the service refuses a call without it as clause 7 states."""


@twin(
    "4.5",
    name="data-types-want-a-configured-language",
    language_selector="query:taal",
    run={"language_selector": LanguageSelector("query", "taal")},
)
class _DataTypesWantAConfiguredLanguage(_WantsALanguage):
    """The same; the options of the run name the parameter."""


@twin("4.5", NO_LANGUAGE, in_part=True)
class _LanguageNegotiatedSoftly(Service):
    """Accept-Language is a preference: an unsupported language falls back to the first."""

    def language(self, call: Call) -> str:
        try:
            return super().language(call)
        except RefusedError:
            return self.config.languages[0]


@twin("4.5", NO_LANGUAGE, language_selector=None, in_part=True)
class _LanguageByPathAndCookie(Service):
    """A cookie chooses the language and is set in every answer; the list links to the other languages."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        links = {each: f"{self.config.path_prefix}/{each}/data" for each in self.config.languages}
        return super().data_type(data_type, language, call) | {"translations": links}

    def language_asked(self, call: Call) -> str:
        return call.headers.get("cookie", "").rpartition("lang=")[2]

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        reply.headers |= {"set-cookie": f"lang={self.config.languages[0]}", "vary": "Cookie"}
        return reply


class _Fixed(Service):
    """Supports one language; `extra` differs between its answers."""

    def language_asked(self, call: Call) -> str:  # noqa: ARG002 the same for all
        return ""


@twin("4.5", NO_LANGUAGE, in_part=True)
class _ListEchoesTheQuery(_Fixed):
    """The service supports one language, and each data type carries a link that repeats the query of the call."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        query = "&".join(f"{name}={value}" for name, value in call.query.items())
        return super().data_type(data_type, language, call) | {"self": f"{self.config.path_prefix}/data?{query}"}


@twin("4.5", NO_LANGUAGE, in_part=True)
class _ListTellsTheMoment(_Fixed):
    """The service supports one language, and each data type carries a count of its readings."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        return super().data_type(data_type, language, call) | {"shown": self.turn("shown")}


@twin("4.5", NO_LANGUAGE, in_part=True)
class _DescriptionsTakeTurns(_Fixed):
    """The service supports one language, and two texts for the description take turns."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        text = f"{data_type.described_in(language)}, text {self.turn(data_type.type) % 2}"
        return super().data_type(data_type, language, call) | {"description": text}


@twin("4.5", NO_LANGUAGE, in_part=True)
class _OrderChangesWithoutLanguage(_Fixed):
    """The service supports one language, and the list has another order in every answer."""

    def data(self, call: Call) -> Any:
        listing = super().data(call)
        start = self.turn("data") % max(1, len(listing))
        return listing[start:] + listing[:start]


@twin("4.5", NO_LANGUAGE, in_part=True)
class _QueriesRefused(_Fixed):
    """A gateway answers 400 with its own message to every query parameter, because the interface names none."""

    async def perform(self, call: Call) -> Reply:
        if call.query:
            return Reply.json({"title": "Unexpected parameter"}, 400)
        return await super().perform(call)


@twin("4.5")
class _LanguageByHeaderAndQuery(Service):
    """The query parameter lang chooses the language; without it, Accept-Language does."""

    def language_asked(self, call: Call) -> str:
        return call.query.get("lang") or super().language_asked(call)


@twin("4.5")
class _LanguageRefusedWithMore(Service):
    """The error for an unsupported language lists the supported ones, in the body and in headers."""

    def error(self, condition: ErrorCondition, call: Call) -> Any:
        supported = {"supported": list(self.config.languages), "requested": None}
        return super().error(condition, call) | (supported if condition is ErrorCondition.LANGUAGE else {})

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        if call.operation is Action.DATA:
            reply.headers |= {"content-language": "en, nl", "vary": "Accept-Language"}
        return reply


for _name, _text, _listed in (
    ("by-their-own-names", "Languages have names in their own scripts.", ["Français", "Ελληνικά", "中文"]),
    ("with-line-ends", "Names of languages have line ends.", ["English\r\nX-Injected: 1", "Nederlands\x00"]),
    ("with-an-empty-one", "The settings list an empty string as a language.", ["", "en"]),
    (
        "in-any-case",
        "Languages are in upper case, with underscores, repeated and numbers.",
        ["EN", "NL_be", "NL_be", "1031"],
    ),
    ("with-scripts", "A language has two scripts; others are private.", ["sr-Latn", "sr-Cyrl", "x-klingon"]),
):
    add_twin(
        "4.5",
        f"languages-listed-{_name}",
        _text,
        NO_LANGUAGE,
        in_part=_name != "with-an-empty-one",
        service=type("_Listed", (_Fixed, settings_with(supportedLanaguages=_listed)), {}),
    )

add_twin(
    "4.5",
    "languages-named-in-the-header",
    "The settings list languages with names that Accept-Language cannot carry, and the service refuses others.",
    NO_LANGUAGE,
    languages=("Français", "Ελληνικά", "en"),
)
add_twin(
    "4.5",
    "two-hundred-languages",
    "Every code of two letters is a supported language.",
    NO_LANGUAGE,
    languages=tuple(
        f"{first}{second}" for first in "abcdefghijklmnopqrstuvwxyz" for second in "abcdefghijklmnopqrstuvwxyz"
    ),
)


class _EveryLanguage(Service):
    """The query parameter chooses any language: a machine translates."""

    listed = "*"

    def settings(self, call: Call) -> Any:
        given = super().settings(call)
        return given | {"supportedLanaguages": [*given["supportedLanaguages"], self.listed]}

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        text = data_type.described_in(language)
        return super().data_type(data_type, language, call) | {"description": f"{text} ({language})"}

    def language(self, call: Call) -> str:
        return self.language_asked(call) or self.config.languages[0]


@twin("4.5", NO_LANGUAGE, language_selector="query:lang")
class _EveryLanguageByWildcard(_EveryLanguage):
    """The service supports every language, and the settings list a star."""


@twin("4.5", NO_LANGUAGE, language_selector="query:lang")
class _EveryLanguageByCode(_EveryLanguage):
    """The service supports every language, and the settings list the code for several languages."""

    listed = "mul"


@twin("4.5", NO_LANGUAGE, run={"language_selector": LanguageSelector("none", "")}, language_selector=None)
class _SeveralLanguagesWithoutASelector(Service):
    """The settings list three languages, of which the app has the texts; GET /data has one, as the tester confirms."""


@twin("4.4")
class _OtherLanguagesAreNotAcceptable(Service):
    """GET /settings has one language, and answers 406, as HTTP permits, where Accept-Language names only others."""

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is Action.SETTINGS and self.language_asked(call) not in ("", self.config.languages[0]):
            return Reply.json({"error": "Not Acceptable", "message": "These texts have other languages."}, 406)
        return await super().shortcut(call)
