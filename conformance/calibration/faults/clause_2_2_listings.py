"""Faults of clause 2.2: what GET /data lists follows what was asked for."""

from __future__ import annotations

from typing import Any

from conformance.calibration.variant import fault
from conformance.reference.call import Call
from conformance.reference.config import ReferenceConfig
from conformance.reference.data_types import DataType
from conformance.reference.service import Service


@fault("2.2-type-in-every-language")
class _RefusedTypesAreListed(Service):
    """A row is made for each type that is asked for, before it is looked up: GET /data lists what was refused."""

    def __init__(self, config: ReferenceConfig) -> None:
        super().__init__(config)
        self.made: dict[str, DataType] = {}

    def types_match(self, wanted: list[Any]) -> bool:
        new = (each for each in wanted if isinstance(each, str) and each.isprintable())
        self.made |= {each: DataType(each, {"en": each}) for each in new if each not in self.type_names}
        return super().types_match(wanted)

    def data(self, call: Call) -> Any:
        language = self.language(call)
        return [*super().data(call), *(self.data_type(each, language, call) for each in self.made.values())]
