"""Twins whose texts differ for another reason than the language, or whose list names it otherwise (4.5)."""

from __future__ import annotations

import zlib
from typing import Any

from conformance.calibration.twins.common import NO_LANGUAGE
from conformance.calibration.variant import twin
from conformance.reference.call import Call
from conformance.reference.data_types import DataType
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service


def _query(call: Call) -> str:
    return "&".join(f"{name}={value}" for name, value in call.query.items())


@twin("4.5", NO_LANGUAGE, language_selector=None)
class _ThreeNodesOneWithAnotherText(Service):
    """The language cannot be chosen; of three nodes that take turns one still has an older text."""

    def data(self, call: Call) -> Any:
        listing = super().data(call)
        if self.turn("node") % 3:
            return listing
        return [each | {"description": f"{each['description']} (2025)"} for each in listing]


@twin("4.5", NO_LANGUAGE, language_selector=None)
class _CachedByAddressWithTheMoment(Service):
    """The language cannot be chosen; texts say when they were put together, and a cache keeps them by address."""

    def data(self, call: Call) -> Any:
        cached: dict[str, Any] = self.__dict__.setdefault("_cached", {})
        if _query(call) not in cached:
            state = self.turn("state")
            cached[_query(call)] = [
                each | {"description": f"{each['description']} (state of {state})"} for each in super().data(call)
            ]
        return cached[_query(call)]


@twin("4.5", NO_LANGUAGE, language_selector=None)
class _ContextRepeatsTheQuery(Service):
    """The language cannot be chosen, and context is made of the address of the call."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        context = f"https://shop.example{self.config.path_prefix}/data?{_query(call)}#{data_type.type}"
        return super().data_type(data_type, language, call) | {"context": context}


@twin("4.5", NO_LANGUAGE, language_selector=None)
class _TextsByTheAddress(Service):
    """The language cannot be chosen; which of two texts is on trial is decided by a hash of the address."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        text = f"{data_type.described_in(language)} ({'AB'[zlib.crc32(_query(call).encode()) % 2]})"
        return super().data_type(data_type, language, call) | {"description": text}


@twin("4.5")
class _EsperantoListedByName(Service):
    """Languages are listed by name, Esperanto among them, and may be asked for by name or code."""

    listed = ("English", "Nederlands", "Esperanto")
    known = ("english en eng", "nederlands nl nld", "esperanto eo epo")

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"supportedLanaguages": list(self.listed)}

    def language(self, call: Call) -> str:
        asked = call.query.get("lang", "").lower()
        found = [names.split()[1] for names in self.known if asked in names.split()]
        if asked and not found:
            raise RefusedError(Condition.LANGUAGE)
        return found[0] if found else "en"


@twin("4.5")
class _EsperantoListedByThreeLetters(_EsperantoListedByName):
    """Languages are listed by codes of three letters, and may be asked for by those of two as well."""

    listed = ("eng", "nld", "epo")
