"""Twins whose languages differ in more than the description: 4.5 does not say how far they may."""

from __future__ import annotations

import json
from typing import Any

from conformance.calibration.variant import twin
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.data_types import DataType
from conformance.reference.errors import Condition
from conformance.reference.service import Service


class _Translated(Service):
    """Lists every type under a name in each language."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        return super().data_type(data_type, language, call) | {"type": self.translated(data_type.type, language)}

    def translated(self, name: str, language: str) -> str:
        """Return the name of a type in a language."""
        return name if language == self.config.languages[0] else f"{name}@{language}"

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        if call.body:
            try:
                names = json.loads(call.body)
            except ValueError:
                names = None
            if isinstance(names, list):
                meant = [self.meant(name, call) if isinstance(name, str) else name for name in names]
                call.body = json.dumps(meant).encode()
        return super().wanted_types(call)

    def meant(self, name: str, call: Call) -> str:  # noqa: ARG002 variants override it
        """Return the identifier that a name stands for in this call."""
        bare, _, language = name.rpartition("@")
        return bare if language in self.config.languages[1:] else name


@twin("2.2")
class _TypesOfEveryLanguageAccepted(_Translated):
    """Types have a name in each language, and every one of them is accepted."""


@twin("2.2")
class _TypesAcceptedInTheirLanguage(_Translated):
    """Types have a name in each language, and are accepted by it where the call asks for that language."""

    def meant(self, name: str, call: Call) -> str:
        asked = call.headers.get("accept-language", "")
        return super().meant(name, call) if name.endswith(f"@{asked}") else name


@twin("4.5")
class _FewerTypesInOneLanguage(Service):
    """What is only processed in one country is listed in its language, and can be requested by everybody."""

    def data(self, call: Call) -> Any:
        listing = super().data(call)
        return listing if self.language(call) == self.config.languages[0] else listing[:-1]


@twin("4.5")
class _RightsDifferByLanguage(Service):
    """The law of the country whose language is asked for decides what can be erased, and on which ground it is held."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        document = super().data_type(data_type, language, call)
        first = language == self.config.languages[0]
        return (
            document if first else document | {"isErasable": not document["isErasable"], "processingGround": "Art. 6"}
        )


@twin("7")
class _MalformedLanguagesRefusedOtherwise(Service):
    """What is no language tag is answered 400 in words of its own: the table speaks of languages not supported."""

    async def perform(self, call: Call) -> Reply:
        asked = self.language_asked(call)
        if call.operation is Operation.DATA and asked and not asked.replace("-", "").isalpha():
            return Reply.json({"error": "MalformedTag", "message": "This is no language tag."}, 400)
        if len(asked) > 100:
            return self.refuse(Condition.TOO_LARGE, call)
        return await super().perform(call)
