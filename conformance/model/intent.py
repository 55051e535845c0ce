"""What a call means to ask, which a rule needs to judge the response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """The meaning of one call, stated when it is made; each member has a default that claims nothing."""

    request: str = ""
    """Of a read or deletion: "existing", "deleted", "lost", "unknown", "foreign", or "clean-up"."""
    body: str = ""
    """Of a creation: "known types", "unknown type", "unprintable type", "omitted", or "odd"."""
    types: Sequence[str] | None = None
    """The data types that the body lists."""
    label: str = ""
    """"unusual" where the body's media type is unusual."""
    limit: str | None = None
    """Of a creation: "room", "reached", "freed", or "perhaps"."""
    language: str | None = None
    """"supported", "unsupported", or "malformed"; None where no language is asked for."""
    selected: bool = False
    """Whether the configured language selector is used to make GET /data answer at all."""
    offered: bool = False
    """Whether the call brings a token that it does not need."""
    open: bool = False
    """Whether the specification leaves the response open."""
    unusual: bool = False
    """Whether something between the suite and the service may refuse the call in its own words."""
    racing: bool = False
    """Whether other calls are under way that change the same state."""
    generated: bool = False
    """Whether a strategy drew the call."""
    smaller: bool = False
    """Whether the call is a smaller form of one that has already failed."""

    def stated(self) -> dict[str, Any]:
        """Return the members that claim something, by name."""
        return {name: value for name, value in asdict(self).items() if value not in (None, "", False)}


NO_INTENT = Intent()
