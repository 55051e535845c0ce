"""Faults that show in languages other than the first: clauses 2.2 and 4.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.calibration.operators import mapped
from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.data_types import DataType
from conformance.reference.service import Service

_TYPE = "2.2-type-in-every-language"


def _elsewhere(change: Callable[[dict[str, Any], str], dict[str, Any]]) -> type[Service]:
    """Return the service whose data types are changed in every language but the first."""

    class Changed(Service):
        def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
            document = super().data_type(data_type, language, call)
            return document if language == self.config.languages[0] else change(document, language)

    return Changed


fault_table(
    _TYPE,
    (
        f"type-{'translated'}",
        "The translators were given the whole file, identifiers and all.",
        _elsewhere(
            lambda document, language: (
                document | {"type": (lambda _, tag: f"gegevens ({tag})")(document["type"], language)}
            )
        ),
    ),
    (
        f"type-{'with-language-behind'}",
        "One row for each language, told apart by the identifier.",
        _elsewhere(
            lambda document, language: (
                document | {"type": (lambda name, tag: f"{name}-{tag}")(document["type"], language)}
            )
        ),
    ),
    (
        f"type-{'taken-from-the-text'}",
        "Where there is no identifier yet, the file holds one in capitals.",
        _elsewhere(
            lambda document, language: document | {"type": (lambda name, _: name.upper())(document["type"], language)}
        ),
    ),
)


fault_table(
    "2.2-isErasable",
    (
        "is-erasable-in-words-in-other-languages",
        "Truth values are translated as well.",
        _elsewhere(lambda document, _: mapped("isErasable", lambda value: "ja" if value else "nee")(document)),
    ),
)


@fault("4.5-array")
class _DataTypesByNameInOtherLanguages(Service):
    """The translations are kept by identifier, and sent as they are kept."""

    def data(self, call: Call) -> Any:
        listing = super().data(call)
        first = self.language(call) == self.config.languages[0]
        return listing if first else {each["type"]: each for each in listing}


@fault("2.3-privacyPolicy", "1.4-every-parameter")
class _PrivacyPolicyNullInOtherLanguages(Service):
    """There is a column for each language, and one of the translations was never filled in."""

    def settings(self, call: Call) -> Any:
        settings = super().settings(call)
        return settings if self.language(call) == self.config.languages[0] else settings | {"privacyPolicy": None}


@fault("4.5-answers-200", "4.5-array")
class _LanguageKeptForTheNextCall(Service):
    """The language of a call is set for the process and not reset: after a refused one, plain calls are refused."""

    _kept = ""

    def language_asked(self, call: Call) -> str:
        self._kept = super().language_asked(call) or self._kept
        return self._kept


@fault(
    "7-language-not-supported",
    "7-language-not-supported-error",
    "7-language-not-supported-message",
    language_selector="query:lang",
)
class _UnsupportedLanguageFallsBackBehindAGateway(Service):
    """The gateway refuses parameters other than lang; the service ignores a language that it lacks."""

    async def perform(self, call: Call) -> Reply:
        if call.operation is Operation.DATA and call.query.keys() - {"lang"}:
            return Reply.json({"title": "Unexpected parameter"}, 400)
        return await super().perform(call)

    def language(self, call: Call) -> str:
        asked = self.language_asked(call)
        return asked if asked in self.config.languages else self.config.languages[0]
