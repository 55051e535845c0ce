"""What the services publish: the same data for all of them, typed from the specification and not from the suite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LIMIT = 3
LANGUAGES = ("en", "nl", "de")

TOKENS = {"r4Jm-Wq82Tn0xVb6Zk1Lp": "alice", "y9Hc-Ds57Gf3uQe8Na2Xo": "bob"}
"""Access tokens that are looked up, and the user of each."""

SETTINGS: dict[str, Any] = {
    "forgotPasswordLink": "https://library.example/account/password",
    "legalEntity": "Stichting Example Libraries",
    "maxNumberOfRequests": LIMIT,
    "oAuthClientId": "library-citizen-app",
    "oAuthUrl": "https://login.library.example/oauth2",
    "organisationName": "Example Libraries",
    "privacyPolicy": "https://library.example/privacy",
    "privacyContactEmail": "privacy@library.example",
    "supportedLanaguages": list(LANGUAGES),
    "termsOfService": "https://library.example/terms",
}


@dataclass(frozen=True)
class DataType:
    """One data type (2.2); `descriptions` by language."""

    type: str
    descriptions: dict[str, str]
    is_erasable: bool
    is_rectifiable: bool


DATA_TYPES = (
    DataType("account", {"en": "Name and address", "nl": "Naam en adres", "de": "Name und Adresse"}, False, True),
    DataType("loans", {"en": "Books borrowed", "nl": "Geleende boeken", "de": "Entliehene Bücher"}, True, False),
    DataType("fines", {"en": "Fines paid", "nl": "Betaalde boetes", "de": "Bezahlte Gebühren"}, False, False),
    DataType("réservations", {"en": "Reservations", "nl": "Reserveringen", "de": "Vormerkungen"}, True, True),
)
NAMES = tuple(each.type for each in DATA_TYPES)

CONTEXT = "https://schema.org/LendAction"
GROUND = "performance of a contract"


def described(language: str) -> list[dict[str, Any]]:
    """Return the data types as GET /data shows them, in a language."""
    return [
        {
            "type": each.type,
            "description": each.descriptions[language],
            "context": CONTEXT,
            "processingGround": GROUND,
            "isErasable": each.is_erasable,
            "isRectifiable": each.is_rectifiable,
        }
        for each in DATA_TYPES
    ]


def account(user: str) -> dict[str, Any]:
    """Return what GET /data/me shows."""
    return {"account": {"userName": user}, "types": list(NAMES)}


def language_of(accepted: str) -> str | None:
    """Return the language that the first range of Accept-Language names, if it is supported."""
    asked = accepted.partition(",")[0].partition(";")[0].strip().lower()
    language = asked.partition("-")[0] if asked not in ("", "*") else LANGUAGES[0]
    return language if language in LANGUAGES else None


def user_of(authorization: str) -> str | None:
    """Return the user of the bearer token in a header Authorization, if it is one of the tokens."""
    scheme, _, token = authorization.partition(" ")
    return TOKENS.get(token) if scheme.lower() == "bearer" else None


UNAUTHORIZED = {
    "error": "Unauthorized",
    "message": "You are not authorized. Generate authentication tokens via OAuth to access this resource.",
}
NOT_FOUND = {"error": "Not Found", "message": "Could not find a data request with this id."}
LIMIT_REACHED = {
    "error": "MaximumAmountOfRequestsReached",
    "message": "The maximum amount of requests has been reached.",
}
INVALID_DATA_TYPES = {
    "error": "InvalidDataTypes",
    "message": "The data types that were specified do not match the available datatypes for this organisation.",
}
LANGUAGE_NOT_SUPPORTED = {
    "error": "LanguageNotSupported",
    "message": "The language you are requesting is not supported by this organisation",
}
