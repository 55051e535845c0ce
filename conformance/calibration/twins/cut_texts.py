"""Twins whose texts were cut in the middle of an emoji: JSON can escape half of a surrogate pair (RFC 8259, 8.2)."""

from __future__ import annotations

import json
from typing import Any

from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import JSON, Call, Reply
from conformance.reference.data_types import REALISTIC, DataType
from conformance.reference.errors import Condition
from conformance.reference.service import Service


class _Escaped(Service):
    """Writes all beyond ASCII as escapes, the only way to write half of a surrogate pair."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        if reply.headers.get("content-type") == JSON:
            reply.body = json.dumps(json.loads(reply.body.decode("utf-8", "surrogatepass"))).encode()
        return reply


for _name, _text, _types in (
    ("only-type", "The only type ends in half of an emoji.", (DataType("a\ud83d", {"en": "Half"}),)),
    (
        "type-among-others",
        "One type of several ends in half of an emoji.",
        (DataType("a\ud83d", {"en": "Half"}), *REALISTIC),
    ),
    (
        "types",
        "One type is half of an emoji, one begins with it, and one is the whole.",
        tuple(DataType(name, {"en": "Data"}) for name in ("\ud83d", "\ud83dx", "\U0001f600")),
    ),
):
    add_twin("2.2", f"{_name}-cut-in-an-emoji", _text, service=_Escaped, data_types=_types)


@twin("4.6")
class _NicknameCutInAnEmoji(_Escaped):
    """The nickname of the account ends in half of an emoji."""

    def data_me(self, call: Call) -> Any:
        record = super().data_me(call)
        record["account"]["nick"] = "ali \ud83d"
        return record


@twin("2")
class _EverythingCutInAnEmoji(_Escaped):
    """Descriptions, settings, errors and members beside those of the interface hold halves of emoji."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        cut = {"description": "Orders \ud83d", "context": "x\udc00", "processingGround": "\ud83d"}
        return super().data_type(data_type, language, call) | cut

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"organisationName": "Shop \ud83d", "legalEntity": "\ude00", "more\ud83d": 1}

    def error(self, condition: Condition, call: Call) -> Any:
        return super().error(condition, call) | {"detail": "x\ud83d"}
