"""Twins that choose or list languages in another way, or whose texts differ for another reason (4.5)."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from conformance.calibration import sources
from conformance.calibration.operators import answering, problem, together
from conformance.calibration.twins.common import NO_LANGUAGE, settings_with
from conformance.calibration.variant import add_twin, twin, undecided
from conformance.model.target import LanguageSelector
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.config import DataType
from conformance.reference.service import Service


# Nearly all checks need the data types, which GET /data lists only if the call chooses a language.
@twin("4.5", undecided("*"), language_selector="query:taal", source="7, table, row 3, Condition", at="language")
def data_types_want_a_language(service: Service, call: Call) -> None:
    """The language is a required parameter: the service refuses a call without it as clause 7 states."""
    if not service.language_asked(call):
        raise RefusedError(ErrorCondition.LANGUAGE)


@twin("4.5", NO_LANGUAGE, in_part=True, source=sources.NEGOTIATION, at="language")
def language_negotiated_softly(service: Service, call: Call) -> str:
    """Accept-Language is a preference: an unsupported language falls back to the first."""
    try:
        return Service.language(service, call)
    except RefusedError:
        return service.config.languages[0]


_IGNORING: Final = answering(lambda _service, _call: "", "language_asked")
add_twin(
    "4.5",
    "language-ignored",
    "The settings list several languages, and GET /data always answers in the first.",
    NO_LANGUAGE,
    _IGNORING,
    in_part=True,
    source="4.5, item 4",
)


@twin("4.5", NO_LANGUAGE, in_part=True, source=sources.KUBERNETES_ROLLOUT, base=_IGNORING, of="data")
def descriptions_of_two_releases(service: Service, listing: Any, _call: Call) -> Any:
    """During a rollout, a balancer gives each call at random to one of two releases with other descriptions."""
    is_newer = Random(11 + service.turn("releases")).random() < 0.5
    return [each | {"description": f"{each['description']}."} if is_newer else each for each in listing]


@twin("4.5", NO_LANGUAGE, in_part=True, source="4.5, item 1, sentence 2", base=_IGNORING, at="perform")
def queries_refused(_service: Service, call: Call) -> Reply | None:
    """A gateway answers 400 with its own message to every query parameter, because the interface names none."""
    return Reply.json({"title": "Unexpected parameter"}, 400) if call.query else None


for _clause, _name, _text, _listed in (
    ("4.5", "by-their-own-names", "Languages have names in their own scripts.", ["Français", "Ελληνικά", "中文"]),
    (
        "2.3",
        "by-names-of-iso-639",
        "Languages have the names of ISO 639, some of which have a comma or semicolon.",
        ["Spanish; Castilian", "Greek, Modern"],
    ),
):
    _service = together(_IGNORING, settings_with(supportedLanaguages=_listed))
    add_twin(_clause, f"languages-listed-{_name}", _text, NO_LANGUAGE, _service, in_part=True)


@twin("4.4", source=sources.NOT_ACCEPTABLE)
def other_languages_are_not_acceptable(service: Service, call: Call) -> Reply | None:
    """GET /settings has one language, and answers 406, as HTTP permits, where Accept-Language names only others."""
    is_right = call.operation is not Action.SETTINGS or service.language_asked(call) in (
        "",
        service.config.languages[0],
    )
    return None if is_right else problem(406, "Not Acceptable", "These texts have other languages.")


for _name, _text in (
    ("lang", "The query has lang."),
    ("locale", "The language is the query parameter locale, a usual one."),
    ("language", "The language is the query parameter language."),
):
    add_twin("4.5", f"language-by-query-{_name}", _text, NO_LANGUAGE, language_selector=f"query:{_name}")
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


@twin("4.5", NO_LANGUAGE, languages=(), language_selector=None, source=sources.JSON_SERVER)
def parameters_filter_the_list(_service: Service, call: Call) -> Reply | None:
    """Each query parameter is a filter: one that no data type has gives an empty list."""
    return Reply.json([]) if call.query and call.operation is Action.DATA else None


@twin("4.5", NO_LANGUAGE, in_part=True, source="4.5, item 4")
class _AllLanguagesAccepted(Service):
    """The service supports every language by machine translation."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"supportedLanaguages": [*self.config.languages, "fr", "es", "pt-BR"]}

    def language(self, call: Call) -> str:
        return self.language_asked(call).partition(",")[0].partition(";")[0].strip() or self.config.languages[0]


@twin("4.5", NO_LANGUAGE, source="4.5, item 4", of="data_type")
def same_texts_in_every_language(_service: Service, document: Any, data_type: DataType, *_: object) -> Any:
    """The service accepts and refuses languages as stated, but its texts are not translated yet."""
    return document | {"description": data_type.described_in("en")}


@twin("4.5", NO_LANGUAGE, in_part=True, source="2.3, table, row 9, Meaning, sentence 1", of="settings")
def languages_listed_by_name(service: Service, settings: Any, _call: Call) -> Any:
    """The settings list languages by name, and GET /data accepts tags: 4.5 does not show how to choose one."""
    names = {"en": "English", "nl": "Nederlands", "de": "Deutsch"}
    return settings | {"supportedLanaguages": [names.get(each, each) for each in service.config.languages]}


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


@twin("4.5", source="2.3, table, row 9, Meaning, sentence 1")
class _LanguagesListedAsLocalesFound(_LanguagesListedAsLocales):
    """The same, without an option that names the header."""


@twin("4.4", run=_HEADER, source=sources.NEGOTIATION, base=_LanguagesListedAsLocales, at="perform")
def locales_are_no_header_of_settings(service: Service, call: Call) -> Reply | None:
    """The settings list locales, and a server answers GET /settings 400 where Accept-Language has no tag."""
    is_odd = call.operation is Action.SETTINGS and "_" in service.language_asked(call)
    return problem(400, "Bad Request", "Accept-Language is malformed.") if is_odd else None


@twin("4.5", alerts=("4.5-languages-differ",), source=sources.TRANSLATED_FIELDS, of="data")
def untranslated_types_are_not_listed(service: Service, listed: Any, call: Call) -> Any:
    """GET /data lists the types that have a description in the language: one language lacks the last one."""
    return listed[:-1] if service.language(call) == service.config.languages[-1] else listed
