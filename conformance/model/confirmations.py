"""Confirmations: what the tester asserts and the suite cannot see."""

from __future__ import annotations

from typing import Final

EMPTY_ACCOUNT: Final = "empty-account"
"""Nothing else counts against the limit of the users of the run: neither older requests nor requests of others."""

NO_SELECTOR: Final = "no-language-selector"
"""No client can choose the language of GET /data (--language-selector none)."""

MAY_BE_SHORT: Final = "short-token"
"""A token of the run need not be kept out of its record, except where it is sent (--allow-short-token)."""

CONFIRMATIONS: Final = {
    EMPTY_ACCOUNT: "--empty-account: nothing else counts against the limit of the users of this run",
    NO_SELECTOR: "--language-selector none: no client can choose the language of GET /data",
    MAY_BE_SHORT: "--allow-short-token: a token that is short, or a word of the interface, is removed from the record "
    "only where it was sent as a credential",
}
"""Every confirmation, with its meaning in words."""

IF_EMPTY: Final = "(if nothing else counts against the limit, as the tester confirmed)"
"""Ends the first sentence of each finding that rests on EMPTY_ACCOUNT."""

_PERHAPS_NOT_EMPTY: Final = (
    "The account may not be empty: delete its open requests, also those of an earlier run ('drsi-conformance "
    "cleanup'; --reset-command runs a command of yours before each run),"
)
_NOT_EMPTIED: Final = (
    "The account may not be empty, although --reset-command ran before the first call: see that the command removes "
    "every open request of the users of the run,"
)


def perhaps_not_empty(*, was_reset: bool) -> str:
    """Return the beginning of the advice where creations are refused before the limit."""
    return _NOT_EMPTIED if was_reset else _PERHAPS_NOT_EMPTY


def if_empty(message: str) -> str:
    """Return the message of a finding that rests on EMPTY_ACCOUNT; its first sentence ends with that."""
    found, more, rest = message.removesuffix(".").partition(". ")
    return f"{found} {IF_EMPTY}{more}{rest}."
