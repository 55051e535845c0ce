"""The form of what is signed: an in-toto Statement v1, about files by their digests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
_TYPE: Final = "https://in-toto.io/Statement/v1"


def statement(digests: Mapping[str, str], kind: str, predicate: Mapping[str, Any]) -> dict[str, Any]:
    """Return the statement of a kind about the files with these SHA-256 digests, by their names."""
    return {
        "_type": _TYPE,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in digests.items()],
        "predicateType": kind,
        "predicate": predicate,
    }


def digests(stated: Any) -> list[Any]:
    """Return the digests of the files that a statement is about; none for another document."""
    try:
        return [each["digest"]["sha256"] for each in stated["subject"]]
    except (TypeError, KeyError, AttributeError):
        return []
