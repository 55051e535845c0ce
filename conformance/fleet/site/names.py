"""The names of the files of a site, which no name in a store decides: they are made of letters, digits and hyphens."""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[0-9A-Za-z]+(?:[.-][0-9A-Za-z]+)*")
_LONGEST = 80


def of_service(target: str) -> str:
    """Return the name of the files of a service, which is another one for each name of a target."""
    words = re.sub(r"[^0-9a-z]+", "-", target.lower().encode("ascii", "replace").decode()).strip("-")
    return f"{words[:40].strip('-') or 'service'}-{hashlib.sha256(target.encode()).hexdigest()[:12]}"


def of_requirement(id: str) -> str:
    """Return the name of the files of a requirement: its id, if it is one of a catalogue."""
    return id if _PLAIN.fullmatch(id) and len(id) <= _LONGEST else of_service(id)


def of_part(name: str, number: int) -> str:
    """Return the name of a page that goes on over several files: index.html, index-2.html."""
    return f"{name}.html" if number == 1 else f"{name}-{number}.html"
