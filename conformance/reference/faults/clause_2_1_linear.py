"""Faults of clause 2.1: identifiers from the linear generator with 48 bits that languages give whoever asks for any."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Final

from conformance.reference.call import Call
from conformance.reference.changes import declare
from conformance.reference.service import Service

_WORD: Final = 1 << 32


def _long(high: int, low: int) -> bytes:
    """Return the bytes of a long whose lower half is added as a signed number."""
    return ((high * _WORD + low - (_WORD if low >> 31 else 0)) % (1 << 64)).to_bytes(8)


def _from_linear(write: Callable[[list[int]], bytes]) -> type[Service]:
    class Bent(Service):
        _state = 0

        def new_id(self, call: Call) -> str:  # noqa: ARG002 nothing of the call goes in
            # Seeded once, as at the start of a process.
            self._state = self._state or self._random.getrandbits(48)
            words = []
            for _ in range(4):
                self._state = (self._state * 0x5DEECE66D + 0xB) % (1 << 48)
                words.append(self._state >> 16)
            return str(uuid.UUID(bytes=write(words), version=4))

    return Bent


for _name, _summary, _write in (
    (
        "request-id-of-two-longs-of-a-linear-generator",
        "Two longs of the generator that everybody has imported already.",
        lambda words: _long(words[0], words[1]) + _long(words[2], words[3]),
    ),
    (
        "request-id-of-the-bytes-of-a-linear-generator",
        "Sixteen bytes of the same generator, which fills arrays from the lowest byte of a word.",
        lambda words: b"".join(word.to_bytes(4, "little") for word in words),
    ),
    (
        "request-id-of-four-words-of-a-linear-generator",
        "Four words of drand48 and its family, one behind the other.",
        lambda words: b"".join(word.to_bytes(4) for word in words),
    ),
):
    declare("2.1-requestId-random", _name, _summary, _from_linear(_write))
