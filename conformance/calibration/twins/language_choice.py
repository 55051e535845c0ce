"""Twins whose choice of a language, or whose list of languages, is odd: 4.5 does not show how one is chosen."""

from __future__ import annotations

from typing import Any

from conformance.calibration.twins.common import NO_LANGUAGE, UNDECIDED, settings_with
from conformance.calibration.variant import add_twin, twin
from conformance.model.requirements import catalogue
from conformance.model.target import LanguageSelector
from conformance.model.verdict import Level
from conformance.reference.call import Action, Call, Reply
from conformance.reference.data_types import DataType
from conformance.reference.errors import ErrorCondition, RefusedError
from conformance.reference.service import Service

for _name, _known in (("locale", "a usual one"), ("ui_locales", "which nobody can know")):
    add_twin(
        "4.5",
        f"language-by-query-{_name.replace('_', '-')}",
        f"The language is the query parameter {_name}, {_known}.",
        NO_LANGUAGE,
        language_selector=f"query:{_name}",
    )


class _WantsALanguage(Service):
    def language(self, call: Call) -> str:
        if not self.language_asked(call):
            raise RefusedError(ErrorCondition.LANGUAGE)
        return super().language(call)


_NEEDS_TYPES = dict.fromkeys((row.id for row in catalogue().rows.values() if row.level is not Level.OPEN), UNDECIDED)
"""Nearly everything needs the data types, which GET /data lists in a language only."""


@twin("4.5", _NEEDS_TYPES, language_selector="query:taal")
class _DataTypesWantALanguage(_WantsALanguage):
    """The language is a required parameter: a call without it is refused as clause 7 states."""


@twin(
    "4.5",
    name="data-types-want-a-configured-language",
    language_selector="query:taal",
    run={"language_selector": LanguageSelector("query", "taal")},
)
class _DataTypesWantAConfiguredLanguage(_WantsALanguage):
    """The same, where the run is told how to ask for a language."""


@twin("4.5", NO_LANGUAGE)
class _LanguageNegotiatedSoftly(Service):
    """Accept-Language is a preference: a supported language is served, any other falls back to the first."""

    def language(self, call: Call) -> str:
        try:
            return super().language(call)
        except RefusedError:
            return self.config.languages[0]


@twin("4.5", NO_LANGUAGE, language_selector=None)
class _LanguageByPathAndCookie(Service):
    """The language is a cookie, set on every answer; links to the other ones stand in the list itself."""

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
    """Speaks one language, whatever is asked; what it says besides differs between answers."""

    def language_asked(self, call: Call) -> str:  # noqa: ARG002 nobody asks
        return ""


@twin("4.5", NO_LANGUAGE)
class _ListEchoesTheQuery(_Fixed):
    """The language cannot be chosen, and every data type carries a link that repeats the query of the call."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        query = "&".join(f"{name}={value}" for name, value in call.query.items())
        return super().data_type(data_type, language, call) | {"self": f"{self.config.path_prefix}/data?{query}"}


@twin("4.5", NO_LANGUAGE)
class _ListTellsTheMoment(_Fixed):
    """The language cannot be chosen, and every data type says how often it was shown."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        return super().data_type(data_type, language, call) | {"shown": self.turn("shown")}


@twin("4.5", NO_LANGUAGE)
class _DescriptionsTakeTurns(_Fixed):
    """The language cannot be chosen, and two texts for the description take turns."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        text = f"{data_type.described_in(language)}, text {self.turn(data_type.type) % 2}"
        return super().data_type(data_type, language, call) | {"description": text}


@twin("4.5", NO_LANGUAGE)
class _OrderChangesWithoutLanguage(_Fixed):
    """The language cannot be chosen, and the list comes in another order in every answer."""

    def data(self, call: Call) -> Any:
        listing = super().data(call)
        start = self.turn("data") % max(1, len(listing))
        return listing[start:] + listing[:start]


@twin("4.5", NO_LANGUAGE)
class _QueriesRefused(_Fixed):
    """A gateway answers 400 in its own words to every query parameter, for the interface names none."""

    async def perform(self, call: Call) -> Reply:
        if call.query:
            return Reply.json({"title": "Unexpected parameter"}, 400)
        return await super().perform(call)


@twin("4.5")
class _LanguageByHeaderAndQuery(Service):
    """The query parameter lang chooses the language; without it Accept-Language does."""

    def language_asked(self, call: Call) -> str:
        return call.query.get("lang") or super().language_asked(call)


@twin("4.5")
class _LanguageRefusedWithMore(Service):
    """The refusal of a language names those that there are, in the body and in headers."""

    def error(self, condition: ErrorCondition, call: Call) -> Any:
        supported = {"supported": list(self.config.languages), "requested": None}
        return super().error(condition, call) | (supported if condition is ErrorCondition.LANGUAGE else {})

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        if call.operation is Action.DATA:
            reply.headers |= {"content-language": "en, nl", "vary": "Accept-Language"}
        return reply


for _name, _text, _listed in (
    (
        "by-their-own-names",
        "Languages are listed by their names in their own scripts.",
        ["Français", "Ελληνικά", "中文"],
    ),
    ("with-line-ends", "Names of languages run over lines.", ["English\r\nX-Injected: 1", "Nederlands\x00"]),
    ("with-an-empty-one", "One of the listed languages is the empty string.", ["", "en"]),
    (
        "in-any-case",
        "Languages are listed in upper case, with underscores, twice and by number.",
        ["EN", "NL_be", "NL_be", "1031"],
    ),
    (
        "with-scripts",
        "One language is listed in two scripts, and others privately.",
        ["sr-Latn", "sr-Cyrl", "x-klingon"],
    ),
):
    add_twin(
        "4.5",
        f"languages-listed-{_name}",
        _text,
        NO_LANGUAGE,
        service=type("_Listed", (_Fixed, settings_with(supportedLanaguages=_listed)), {}),
    )

add_twin(
    "4.5",
    "languages-named-in-the-header",
    "Languages are listed by names that Accept-Language cannot carry, and others are refused.",
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
    """Any language will do: a machine translates into what is asked for in the query."""

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
    """Every language is served, which the settings say with a star."""


@twin("4.5", NO_LANGUAGE, language_selector="query:lang")
class _EveryLanguageByCode(_EveryLanguage):
    """Every language is served, which the settings say with the code for several languages."""

    listed = "mul"
