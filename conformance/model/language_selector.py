"""The selector of the language: the header or query parameter by which a client chooses it (4.5 leaves it open)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from conformance.model.errors import ConfigurationFault


@dataclass(frozen=True, slots=True)
class LanguageSelector:
    """The header or query parameter that chooses the language of GET /data (4.5 leaves it open).

    The kind "none" states that nothing chooses it.
    """

    kind: Literal["header", "query", "none"]
    name: str

    @classmethod
    def named(cls, text: str) -> LanguageSelector:
        """Return the selector that a record names as `str` writes it; raise ConfigurationFault for another text."""
        kind, colon, name = text.partition(":")
        if (kind in ("header", "query") and name) or (kind == "none" and not colon):
            return cls(kind, name)  # type: ignore[arg-type]  # one of the three
        raise ConfigurationFault(f"The record names no language selector: {text!r:.100}.")

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind

    @property
    def in_words(self) -> str:
        """The selector as a sentence names it, such as "the header Accept-Language"; an option writes it as `str`."""
        return f"the {'query parameter' if self.kind == 'query' else 'header'} {self.name}"

    def asking(self, language: str) -> dict[str, Any]:
        """Return the arguments of `Session.send` that ask for `language`."""
        if self.kind == "header":
            return {"headers": {self.name: language}}
        return {"query": f"{self.name}={quote(language, safe='')}"}
