"""The probe: what a response has to be, in a form that a script can test without this suite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "status",  # the status is one of `values`; x stands for any digit: "4xx"
    "other-status",  # it is none of `values`
    "media-type",  # the media type of the body is one of `values`; * stands for anything, "" for no Content-Type
    "text",  # the body is the text `values[0]`, perhaps with a line break after it
    "json",  # the body is well-formed JSON
    "type",  # the value has one of the JSON types `values`
    "format",  # the value is a string of the format `values[0]`: "uuid", "uuid4", "date-time", "iri" or "idn-email"
    "equals",  # the value is the string `values[0]`
    "absent",  # there is no value
    "among",  # each element of the array is one of `values`
    "includes",  # each of `values` is an element of the array
    "set",  # both: the array and `values` are the same set
    "as-created",  # the value is that of the response that created the request
    "recent",  # the value is a date-time at most `values[0]` seconds from the call
    "new-id",  # requestId is that of no other request that the calls created
]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """What the first exchange of a finding does not meet: its response, or the value in its JSON body at `pointer`.

    `pointer` is a JSON Pointer. In an array, the probe is about all elements, not only about the index that it names.
    """

    kind: Kind
    pointer: str = ""
    values: tuple[str, ...] = ()
    optional: bool = False
    """Whether there may be no value at all."""


def must_answer(*wanted: int | str) -> Probe:
    """Return the probe that the status is one of `wanted`."""
    return Probe(kind="status", values=tuple(map(str, wanted)))
