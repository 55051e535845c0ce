"""The credentials of the calls of a reproduction script, made from the tokens in the environment."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final

from conformance.model.error_table import REFUSED_CREDENTIALS
from conformance.model.exchange import Operation
from conformance.reports.scripts.calls import Calls

HEADERS: Final = {
    "user": 'header "Bearer $DRSI_TOKEN"',
    "other user": 'header "Bearer $DRSI_OTHER_TOKEN"',
    "an expired token": 'header "Bearer $DRSI_EXPIRED_TOKEN"',
    "a token of another service": 'header "Bearer $DRSI_FOREIGN_TOKEN"',
    "no token": ":",
    "a made-up token": "header 'Bearer 1d0f8e2b7c6a5f4e3d2c.9b8a7f6e5d4c3b2a1f0e.5c4b3a2f1e0d9c8b7a6f'",
    "a token with extra characters": ("""header "Bearer $(printf '%s' "$DRSI_TOKEN" | sed 's/\\(=*\\)$/xxxx\\1/')\""""),
    "a token altered in one character": 'header "Bearer $(altered -8)"',
    "a token altered in its middle": 'header "Bearer $(altered 0)"',
    "a token altered in its first character": 'header "Bearer $(altered 1)"',
    "an empty token": "header Bearer",
    "the word null as a token": "header 'Bearer null'",
    "another scheme": "header 'Basic bm9ib2R5OjFkMGY4ZTJiN2M2YTVmNGU='",
    "a token cut short": (
        """header "Bearer $(printf '%s\\n' "$DRSI_TOKEN" | """
        """awk '{ n = length($0); print substr($0, 1, n - int(n / 3)) }')\""""
    ),
    "a token with upper and lower case swapped": (
        """header "Bearer $(printf '%s' "$DRSI_TOKEN" | """
        """tr abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ """
        """ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz)\""""
    ),
    "a token without its signature": (
        """header "Bearer eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.$(printf '%s' "$DRSI_TOKEN" | cut -d. -f2).\""""
    ),
}
"""Shell commands that write the header of each credential, by its label."""

_ALTERED: Final = r"""
# altered PLACE: the token with one character changed: the first, that at the middle (0), or one counted from the end.
altered() {
  printf '%s\n' "$DRSI_TOKEN" | awk -v place="$1" '{
    if (place < 0) place = length($0) + place + 1
    if (place == 0) {
      place = int(length($0) / 2) + 1
      while (place < length($0) && substr($0, place, 2) !~ /^[0-9A-Za-z][0-9A-Za-z]$/) place++
    }
    if (place < 1) place = 1
    new = substr($0, place, 1) ~ /[Aa]/ ? "B" : "A"
    print substr($0, 1, place - 1) new substr($0, place + 1)
  }'
}
"""


def tokens(calls: Calls) -> Iterator[str]:
    """Yield the commands that demand the tokens which the calls need."""
    labels = {entry.request.credential for entry in calls.entries}
    creates = any(entry.operation is Operation.CREATE for entry in calls.entries)
    if labels - {"no token"} or creates:
        yield "[ -n \"${DRSI_TOKEN:-}\" ] || stop 'set DRSI_TOKEN to the access token of the user.'"
    if "other user" in labels:
        yield "[ -n \"${DRSI_OTHER_TOKEN:-}\" ] || stop 'set DRSI_OTHER_TOKEN to the access token of another user.'"
    for label, variable in REFUSED_CREDENTIALS.items():
        if label in labels:
            yield f"[ -n \"${{{variable}:-}}\" ] || stop 'set {variable} to {label}.'"


def credential(calls: Calls) -> Iterator[str]:
    """Yield the shell functions that write the Authorization header of each credential of the calls."""
    labels = dict.fromkeys(["user", *(entry.request.credential for entry in calls.entries)])
    cases = [f"    {shlex.quote(label)}) {HEADERS[label]} ;;" for label in labels]
    if any("altered " in HEADERS[label] for label in labels):
        yield _ALTERED.strip()
    lines = ["# credential NAME: the Authorization header of a call.", "credential() {", "  case $1 in", *cases]
    yield "\n".join([*lines, "  esac", "}"])
