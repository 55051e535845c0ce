"""A login: what an authorisation server gave for one user of one service, and how to renew it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Self

import msgspec

from conformance.login.server import Server
from conformance.model.account import claims_of
from conformance.model.errors import ConfigurationFault

FIRST: Final = "first"
OTHER: Final = "other"
EXPIRED: Final = "expired"
FOREIGN: Final = "foreign"
USERS: Final = (FIRST, OTHER, EXPIRED, FOREIGN)
"""Whose the tokens are: of the two users of a run, and the two tokens that the service has to refuse."""

SECRET: Final = ("access_token", "refresh_token")
"""The members that are secrets."""

_EARLY: Final = 30.0
"""Seconds before its end in which a token is renewed, before it is used at all."""


@dataclass(frozen=True, kw_only=True)
class Login:
    """A login. Moments are seconds since 1970 by the clock of this machine."""

    base_url: str
    user: str
    server: Server
    client_id: str
    grant: str
    scope: str = ""
    meant_for: Mapping[str, str] = field(default_factory=dict)
    has_secret: bool = False
    """Whether the client has a secret, which is never stored: a renewal reads DRSI_CLIENT_SECRET."""
    obtained: float = 0.0
    expires_at: float | None = None
    """None if the server does not say it."""
    access_token: str = field(repr=False)
    refresh_token: str | None = field(default=None, repr=False)

    def with_token(self, found: Mapping[str, Any]) -> Login:
        """Return the login with another token, an answer of a token endpoint."""
        now, life = time.time(), found.get("expires_in")
        return replace(
            self,
            access_token=found["access_token"],
            refresh_token=found.get("refresh_token") or self.refresh_token,
            obtained=now,
            expires_at=None if life is None else now + life,
        )

    @property
    def is_renewable(self) -> bool:
        """Whether a newer token can be had without a person."""
        if self.user in (EXPIRED, FOREIGN):
            return False
        return bool(self.refresh_token) or self.grant == "client-credentials"

    def is_over(self, early: float = _EARLY) -> bool:
        """Whether the token has expired, or does within `early` seconds."""
        return self.expires_at is not None and time.time() > self.expires_at - early

    @property
    def end(self) -> float | None:
        """When the token expires, the later one of what the server said and of the claim exp of a JWT, or None."""
        claim = claims_of(self.access_token).get("exp")
        by_claim = float(claim) if isinstance(claim, int | float) and not isinstance(claim, bool) else None
        return max((moment for moment in (self.expires_at, by_claim) if moment is not None), default=None)

    def data(self) -> dict[str, Any]:
        """Return the login as JSON data."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the login of `data`; raise ConfigurationFault if it is none."""
        try:
            return msgspec.convert(data, cls)
        except msgspec.ValidationError:
            raise ConfigurationFault(
                "The stored login cannot be read.", remedy="Log in again with 'drsi-conformance login'."
            ) from None


def audiences(token: str) -> set[str]:
    """Return the claim aud of a JWT, which is read and not verified; nothing for an opaque token."""
    found = claims_of(token).get("aud")
    return {each for each in (found if isinstance(found, list) else [found]) if isinstance(each, str)}
