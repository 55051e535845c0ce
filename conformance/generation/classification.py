"""The classification of a generated call: is its answer specified, and if not, which open requirement is it about?"""

from __future__ import annotations

from dataclasses import replace
from typing import Final
from urllib.parse import unquote

from conformance.generation.call import GeneratedCall
from conformance.generation.meaning import Vocabulary, alike, meaning_of_types
from conformance.model.bodies import parsed
from conformance.model.exchange import Operation
from conformance.model.formats import is_uuid
from conformance.model.strict_json import as_strings
from conformance.model.text import in_json, shorten
from conformance.spec.kinds import WORDS

_SHOWN: Final = 60
"""Characters of an unusual value in a sentence."""


def classified(call: GeneratedCall, known: Vocabulary) -> GeneratedCall:
    """Return a call with what it means, given the data types of the target."""
    if call.operation is Operation.CREATE:
        return _creation(call, known)
    if call.operation in (Operation.READ, Operation.DELETE):
        return _of_a_request(call)
    if call.headers or call.query:
        added = [f"{name}: {value}" for name, value in call.headers] + [f"?{call.query}"] * bool(call.query)
        about = f"{call.operation.call} with {shorten(', '.join(added), _SHOWN)}"
        return replace(call, row="0-odd-headers", about=about)
    return call


def _of_a_request(call: GeneratedCall) -> GeneratedCall:
    identifier = unquote(call.segment, errors="replace")
    if is_uuid(identifier):
        return call
    about = f"{in_json(identifier, _SHOWN)} as an identifier to {WORDS[call.operation]}"
    return replace(call, row="4.2-odd-identifiers", about=about)


def _creation(call: GeneratedCall, known: Vocabulary) -> GeneratedCall:
    body = call.content
    if not body:  # omitted, or empty with the media type of the operation (4.1)
        return call
    document = parsed(body)
    if document.problem:
        return replace(call, row="4.1-malformed-body")
    listed = as_strings(document.value)
    if listed is None:
        return replace(call, row="4.1-other-json")
    types = tuple(listed)
    if not types:
        return replace(call, row="4.1-empty-array", about="An empty array", types=types)
    if len(set(types)) < len(types):
        return replace(call, row="4.1-repeated-type", about=f"The list {in_json(listed, _SHOWN)}", types=types)
    if meaning_of_types(types, known) != "odd":
        return replace(call, types=types)
    if len(types) == 1 and alike(types[0]) in known.likenesses - {""}:
        about = f"{in_json(types[0], _SHOWN)}, which resembles a type,"
        return replace(call, row="4.1-similar-type", about=about, types=types)
    return replace(call, types=types, unclear=True)
