"""A service that conforms and is like a recorded one in what the specification leaves open.

It is the reference service, changed by the operators of which twins are made. What violates the specification is not
copied, and nothing personal: accounts, tokens, settings and messages are those of the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from conformance.calibration.likeness import answers, documents
from conformance.calibration.likeness.seen import Copy, Document, Seen
from conformance.calibration.operators import together
from conformance.calibration.variant import Kind, Variant
from conformance.reference.service import Service
from conformance.trace.trace import Trace

_MATTERS: Final[Mapping[str, Callable[[Seen], Copy | None]]] = {
    **{words: partial(answers.copied, label) for words, label in answers.LABELS.items()},
    "limit": documents.limit,
    "languages": documents.languages,
    "data types": documents.data_types,
    "date-times": documents.moments,
    "identifiers": documents.identifiers,
    "odd identifiers": answers.odd_identifiers,
    "media types of bodies": answers.other_media_types,
    "odd bodies": answers.bodies,
}
"""What is copied, by the words of the command. The first one changes an answer last."""


@dataclass(frozen=True, kw_only=True)
class Like(Variant):
    """The service, with the matters that were copied, and those that could not be."""

    kind = Kind.LIKE
    copied: tuple[str, ...]
    not_copied: tuple[str, ...]


def like(trace: Trace, given: Collection[str] = ()) -> Like:
    """Return the service that is like the one of a recorded run, but for the settings that are given."""
    seen, config, services = Seen(trace), Document(), list[type[Service]]()
    found = {matter: copy(seen) for matter, copy in _MATTERS.items()}
    copies = {matter: copy for matter, copy in found.items() if copy is not None}
    for copy in copies.values():
        services += copy.services
        config |= {name: value for name, value in copy.config.items() if name not in given}
    return Like(
        name="like",
        summary="The reference service with the choices of a recorded one, as far as they conform.",
        service=together(*services),
        config=config,
        # The first setting of a matter is the one that its words name.
        copied=tuple(each for each, copy in copies.items() if next(iter(copy.config), "") not in given),
        not_copied=tuple(each for each in found if each not in copies),
    )
