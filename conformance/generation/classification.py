"""The classification of a generated call: is its answer specified, and if not, which open requirement is it about?"""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote

from conformance.generation.call import GeneratedCall
from conformance.generation.meaning import Vocabulary, alike, meaning_of_types
from conformance.model.exchange import Operation
from conformance.model.formats import is_uuid
from conformance.model.strict_json import as_strings, parsed


def classified(call: GeneratedCall, known: Vocabulary) -> GeneratedCall:
    """Return a call with what it means, given the data types of the target."""
    if call.operation is Operation.CREATE:
        return _creation(call, known)
    if call.segment:
        return call if is_uuid(unquote(call.segment, errors="replace")) else replace(call, row="4.2-odd-identifiers")
    return replace(call, row="0-odd-headers") if call.headers or call.query else call


def _creation(call: GeneratedCall, known: Vocabulary) -> GeneratedCall:
    if not call.content:  # omitted, or empty with the media type of the operation (4.1)
        return call
    document = parsed(call.content)
    listed = None if document.problem else as_strings(document.value)
    if listed is None:
        return replace(call, row="4.1-malformed-body" if document.problem else "4.1-other-json")
    types = tuple(listed)
    if len(set(types)) < len(types) or not types:
        return replace(call, row="4.1-repeated-type" if types else "4.1-empty-array", types=types)
    if meaning_of_types(types, known) != "odd":
        return replace(call, types=types)
    if len(types) == 1 and alike(types[0]) in known.likenesses - {""}:
        return replace(call, row="4.1-similar-type", types=types)
    return replace(call, types=types, unclear=True)
