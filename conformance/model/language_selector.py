"""The selector of the language: the header or query parameter by which a client chooses it (4.5 leaves it open)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import quote

from conformance.model.errors import ConfigurationFault

_TOKEN_OF_HTTP: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_ONE_NAME: Final = re.compile(r"(?:[A-Za-z0-9._~!$'()*,:@/\[\]-]|%[0-9A-Fa-f]{2})+")
"""Name of a query parameter as it is sent; "&" or "=" would make several parameters of it, or none."""

_OF_HTTP: Final = "HTTP itself, which the suite leaves to its client"
_OF_CONDITIONS: Final = "conditions and parts of an answer, not its language"
_TAKEN: Final = {
    **dict.fromkeys(("connection", "content-length", "expect", "host", "keep-alive", "proxy-connection"), _OF_HTTP),
    **dict.fromkeys(("te", "trailer", "transfer-encoding", "upgrade"), _OF_HTTP),
    **dict.fromkeys(("authorization", "proxy-authorization"), "credentials, which the suite sends by itself"),
    **dict.fromkeys(("content-encoding", "content-type"), "the body that is sent, which the suite describes by itself"),
    **dict.fromkeys(("accept", "accept-encoding"), "the form of the answer, which the suite asks for by itself"),
    **dict.fromkeys(("if-match", "if-none-match", "if-modified-since", "if-unmodified-since"), _OF_CONDITIONS),
    **dict.fromkeys(("if-range", "range"), _OF_CONDITIONS),
    "user-agent": "the client, which the suite names by itself",
    "cookie": "pairs of name and value, while a language alone would be sent",
}
"""Header fields that cannot choose a language, with their meaning."""


@dataclass(frozen=True, slots=True)
class LanguageSelector:
    """The header or query parameter that chooses the language of GET /data (4.5 leaves it open).

    The kind "none" states that nothing chooses it.
    """

    kind: Literal["header", "query", "none"]
    name: str

    @classmethod
    def parse(cls, text: str) -> LanguageSelector:
        """Parse "header:NAME", "query:NAME" or "none"; raise ConfigurationFault for anything else."""
        if text == "none":
            return cls("none", "")
        kind, _, name = text.partition(":")
        name = name.strip()
        if not name:
            raise ConfigurationFault(
                f"Expected a language selector such as header:Accept-Language or query:lang, or none if the service "
                f"has none; received {text!r}."
            )
        if kind == "header":
            return cls("header", _header_name(name))
        if kind == "query":
            if not _ONE_NAME.fullmatch(name):
                raise ConfigurationFault(
                    f"Expected the name of one query parameter, such as query:lang; received {name!r}. "
                    "Give the name alone, with other characters percent-encoded."
                )
            return cls("query", name)
        raise ConfigurationFault(f"Expected a language selector that begins with header: or query:; received {text!r}.")

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind

    def asking(self, language: str) -> dict[str, Any]:
        """Return the arguments of `Session.send` that ask for `language`."""
        if self.kind == "header":
            return {"headers": {self.name: language}}
        return {"query": f"{self.name}={quote(language, safe='')}"}


def _header_name(name: str) -> str:
    if not _TOKEN_OF_HTTP.fullmatch(name):
        raise ConfigurationFault(
            f"Expected the name of a header field, such as header:Accept-Language; received {name!r}. "
            "Such a name has letters, digits and hyphens, and no spaces."
        )
    if about := _TAKEN.get(name.lower()):
        raise ConfigurationFault(
            f"No language can be asked for with the header field {name}, which is about {about}. "
            "Give the field that the service reads, such as header:Accept-Language."
        )
    return name
