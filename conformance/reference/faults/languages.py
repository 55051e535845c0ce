"""Faults that show in languages other than the first: clauses 2.2 and 4.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.reference.call import Call, Operation, Reply
from conformance.reference.changes import Change, declare, mapped
from conformance.reference.data_types import DataType
from conformance.reference.service import Service

_TYPE = "2.2-type-in-every-language"


def _elsewhere(change: Callable[[dict[str, Any], str], dict[str, Any]]) -> type[Service]:
    """Return the service whose data types are changed in every language but the first."""

    class Bent(Service):
        def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
            document = super().data_type(data_type, language, call)
            return document if language == self.config.languages[0] else change(document, language)

    return Bent


def _type(name: str, summary: str, change: Callable[[str, str], str]) -> None:
    declare(
        _TYPE,
        f"type-{name}",
        summary,
        _elsewhere(lambda document, language: document | {"type": change(document["type"], language)}),
    )


_type(
    "translated", "The translators were given the whole file, identifiers and all.", lambda _, tag: f"gegevens ({tag})"
)
_type(
    "with-language-behind",
    "One row for each language, told apart by the identifier.",
    lambda name, tag: f"{name}-{tag}",
)
_type(
    "taken-from-the-text",
    "Where there is no identifier yet, the file holds one in capitals.",
    lambda name, _: name.upper(),
)


def _field(requirement: str, name: str, summary: str, change: Change) -> None:
    declare(requirement, name, summary, _elsewhere(lambda document, _: change(document)))


_field(
    "2.2-isErasable",
    "is-erasable-in-words-in-other-languages",
    "Truth values are translated as well.",
    mapped("isErasable", lambda value: "ja" if value else "nee"),
)


class _ByName(Service):
    def data(self, call: Call) -> Any:
        listing = super().data(call)
        first = self.language(call) == self.config.languages[0]
        return listing if first else {each["type"]: each for each in listing}


declare(
    "4.5-array",
    "data-types-by-name-in-other-languages",
    "The translations are kept by identifier, and sent as they are kept.",
    _ByName,
)


class _Untranslated(Service):
    def settings(self, call: Call) -> Any:
        settings = super().settings(call)
        return settings if self.language(call) == self.config.languages[0] else settings | {"privacyPolicy": None}


declare(
    "2.3-privacyPolicy",
    "privacy-policy-null-in-other-languages",
    "There is a column for each language, and one of the translations was never filled in.",
    _Untranslated,
    "1.4-every-parameter",
)


class _Kept(Service):
    _kept = ""

    def language_asked(self, call: Call) -> str:
        self._kept = super().language_asked(call) or self._kept
        return self._kept


declare(
    "4.5-answers-200",
    "language-kept-for-the-next-call",
    "The language of a call is set for the process, and not set back: after one that is refused so are plain calls.",
    _Kept,
    "4.5-array",
)


class _FallsBackBehindAGateway(Service):
    async def perform(self, call: Call) -> Reply:
        if call.operation is Operation.DATA and call.query.keys() - {"lang"}:
            return Reply.json({"title": "Unexpected parameter"}, 400)
        return await super().perform(call)

    def language(self, call: Call) -> str:
        asked = self.language_asked(call)
        return asked if asked in self.config.languages else self.config.languages[0]


declare(
    "7-language-not-supported",
    "unsupported-language-falls-back-behind-a-gateway",
    "The gateway knows the parameter lang and refuses any other; the service takes a language that it lacks for none.",
    _FallsBackBehindAGateway,
    "7-language-not-supported-error",
    "7-language-not-supported-message",
    language_selector="query:lang",
)
