"""The data types of the reference service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
