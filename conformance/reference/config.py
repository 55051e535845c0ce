"""The settings of the reference service, with its users and data types."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

DEFAULT_SELECTOR = "header:Accept-Language"


@dataclass(frozen=True)
class DataType:
    """One data type of GET /data; `descriptions` holds its description by language."""

    type: str
    descriptions: Mapping[str, str]
    processing_ground: str = "consent"
    is_erasable: bool = True
    is_rectifiable: bool = True

    def described_in(self, language: str) -> str:
        """Return the description in `language`, or one that names the language if there is no translation."""
        if language in self.descriptions:
            return self.descriptions[language]
        return f"[{language}] {next(iter(self.descriptions.values()))}"


def _texts(en: str, nl: str, de: str) -> Mapping[str, str]:
    return {"en": en, "nl": nl, "de": de}


REALISTIC = (
    DataType(
        "contact-details",
        _texts("Name, address and telephone number", "Naam, adres en telefoonnummer", "Name, Adresse und Telefon"),
        "performance of a contract",
        is_erasable=False,
    ),
    DataType(
        "purchase-history",
        _texts("Everything you bought", "Alles wat u heeft gekocht", "Alles, was Sie gekauft haben"),
        "legal obligation",
        is_erasable=False,
        is_rectifiable=False,
    ),
    DataType(
        "location-history",
        _texts("Places where the app was open", "Plaatsen waar de app open was", "Orte, an denen die App lief"),
    ),
    DataType(
        "newsletter",
        _texts("Newsletters you receive", "Nieuwsbrieven die u ontvangt", "Newsletter, die Sie erhalten"),
    ),
    DataType(
        'betaling/IBAN "privé"',
        _texts("Bank account", "Bankrekening", "Bankkonto"),
        "performance of a contract",
        is_erasable=False,
    ),
)
"""Data types of a small web shop; one identifier has a slash, a space, quotes and a non-ASCII letter."""


def numbered(count: int) -> tuple[DataType, ...]:
    """Return `count` data types with different identifiers."""
    return tuple(
        DataType(f"data-type-{n:05}", _texts(f"Data of kind {n}", f"Gegevens van soort {n}", f"Daten der Art {n}"))
        for n in range(count)
    )


@dataclass(frozen=True)
class User:
    """A user who may make data requests; `token` is the access token."""

    name: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))


def _two_users() -> tuple[User, ...]:
    return (User("alice.example"), User("bob.example"))


@dataclass(frozen=True, kw_only=True)
class ReferenceConfig:
    """Settings of one reference service.

    `complete_after` is in seconds: None never completes a request, 0 does so at once. `language_selector` is
    "header:NAME", "query:NAME" or None for a service with one language. `clock_offset`, in seconds, is added to every
    moment that the service shows. With `clock_step` the clock advances by this number of seconds with each call only,
    so that results do not depend on the machine's speed; it begins at `clock_begins`, in seconds since 1970, or now.
    With `seed` the identifiers are the same in every run.
    """

    users: tuple[User, ...] = field(default_factory=_two_users)
    languages: tuple[str, ...] = ("en", "nl", "de")
    max_requests: int = 3
    data_types: tuple[DataType, ...] = REALISTIC
    complete_after: float | None = None
    completed_readable: bool = True
    path_prefix: str = "/api/v1"
    seed: int | None = None
    language_selector: str | None = DEFAULT_SELECTOR
    clock_offset: float = 0.0
    clock_step: float | None = None
    clock_begins: float | None = None
    expired_token: str = ""
    """A token of the first user that has expired."""
    foreign_token: str = ""
    """A token of the first user for another service."""

    def __post_init__(self) -> None:
        """Refuse values with which no service can start."""
        if self.path_prefix and (not self.path_prefix.startswith("/") or self.path_prefix.endswith("/")):
            raise ValueError(f"path_prefix must be empty or begin, and not end, with a slash: {self.path_prefix!r}")
        kind, _, name = (self.language_selector or DEFAULT_SELECTOR).partition(":")
        if kind not in ("header", "query") or not (name and name.isascii()):
            raise ValueError(f"language_selector must be header:NAME or query:NAME, not {self.language_selector!r}")

    @property
    def tokens(self) -> tuple[str, ...]:
        """Access tokens of the users, in their order."""
        return tuple(user.token for user in self.users)
