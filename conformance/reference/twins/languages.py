"""Twins that choose the language otherwise, which clause 4.5 leaves open."""

from __future__ import annotations

from typing import Any

from conformance.reference.bend import Acceptable, twin
from conformance.reference.call import Call
from conformance.reference.data_types import DataType
from conformance.reference.service import Service

_LANGUAGE_ROWS = (
    "4.5-supported-languages",
    "7-language-not-supported",
    "7-language-not-supported-error",
    "7-language-not-supported-message",
)
_NO_EFFECT: Acceptable = dict.fromkeys(_LANGUAGE_ROWS, ("inconclusive", "not-applicable"))


def _plain(name: str, text: str, acceptable: Acceptable, **config: object) -> None:
    twin("4.5", acceptable, name=name, **config)(type("_Bent", (Service,), {"__doc__": text}))


_plain(
    "language-by-query-lang", "The language is the query parameter lang.", _NO_EFFECT, language_selector="query:lang"
)
_plain(
    "language-by-query-language",
    "The language is the query parameter language.",
    _NO_EFFECT,
    language_selector="query:language",
)
_plain(
    "language-by-own-header",
    "The language is a header of the service's own, which nobody can know.",
    _NO_EFFECT,
    language_selector="header:X-Preferred-Tongue",
)
_plain("one-language-only", "The language cannot be chosen.", _NO_EFFECT, language_selector=None, languages=("nl",))
_plain(
    "languages-with-regions",
    "Supported languages are listed with regions and scripts.",
    _NO_EFFECT,
    languages=("en-GB", "nl-NL", "zh-Hant-TW"),
)
_plain("no-languages-listed", "supportedLanaguages is empty.", _NO_EFFECT, languages=(), language_selector=None)


@twin("4.5", _NO_EFFECT)
class _LanguageIgnored(Service):
    """Several languages are listed, and GET /data answers in the first whatever is asked for."""

    def language_asked(self, call: Call) -> str:  # noqa: ARG002 nobody asks
        return ""


@twin("4.5", _NO_EFFECT)
class _LanguageOfTheSession(Service):
    """The language is that of the user's account; there is no way to ask for one in the call."""

    def language(self, call: Call) -> str:
        return self.config.languages[0 if call.user is None else -1]


@twin("4.5", _NO_EFFECT)
class _AllLanguagesAccepted(Service):
    """Any language is served, by machine translation."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"supportedLanaguages": [*self.config.languages, "fr", "es", "pt-BR"]}

    def language(self, call: Call) -> str:
        return self.language_asked(call).partition(",")[0].partition(";")[0].strip() or self.config.languages[0]


@twin("4.5", _NO_EFFECT)
class _SameTextsInEveryLanguage(Service):
    """The language is chosen and refused as stated, but nothing has been translated yet."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        return super().data_type(data_type, language, call) | {"description": data_type.described_in("en")}


@twin("4.5", _NO_EFFECT)
class _LanguagesListedByName(Service):
    """The settings list languages by name, and GET /data wants them as tags: how one is chosen is not shown."""

    def settings(self, call: Call) -> Any:
        names = {"en": "English", "nl": "Nederlands", "de": "Deutsch"}
        return super().settings(call) | {
            "supportedLanaguages": [names.get(each, each) for each in self.config.languages]
        }
