"""What surrounds the interface: the scheme of the address, the way of the tokens, and the clocks of both sides."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from conformance.http.run_time import in_words
from conformance.http.session import Session
from conformance.model.exchange import ErrorKind, Exchange
from conformance.model.findings import Note
from conformance.model.verdict import Blame, Exit
from conformance.runner.diagnosis import Diagnosis

APART: Final = timedelta(minutes=1)
"""A difference between two clocks that is worth a word."""

_OF_ANOTHER_SCHEME: Final = (ErrorKind.TLS, ErrorKind.CLOSED, ErrorKind.NOT_HTTP, ErrorKind.TRUNCATED)
"""What comes of speaking http to an https port, or https to an http port."""


def other_scheme(session: Session, exchanges: Sequence[Exchange], found: Diagnosis) -> bool:
    """Note that the port speaks the other scheme than the address names, and tell whether it does."""
    if not all(_may_be_of_another_scheme(each) for each in exchanges):
        return False
    url = session.target.url
    other = "http" if session.target.is_https else "https"
    if not session.recording_transport.speaks(other):
        return False
    found.problems.append(
        Note(
            Blame.CONFIGURATION,
            f"The base_url {session.target.base_url} says {url.scheme}, but its port speaks {other}.",
            f"Give {other}{session.target.base_url.removeprefix(url.scheme)} as base_url.",
            Exit.USAGE,
        )
    )
    return True


def _may_be_of_another_scheme(exchange: Exchange) -> bool:
    # Many servers answer 400 to http on a port of theirs that speaks https.
    return exchange.error in _OF_ANOTHER_SCHEME or (exchange.response is not None and exchange.response.status == 400)


def way(session: Session, found: Diagnosis, *, sends_tokens: bool) -> None:
    """Note whether others can read the tokens on their way."""
    target = session.target
    if target.is_https:
        found.facts.append(("TLS", "the certificate is trusted and is for this host"))
    elif sends_tokens and session.credentials and not target.is_loopback:
        found.problems.append(
            Note(
                Blame.CONFIGURATION,
                "The tokens are sent over plain http: everyone on the way to the target can read and use them.",
                "Give the https address of the service as base_url; if it has none, it needs one.",
            )
        )


def clocks(exchange: Exchange, found: Diagnosis) -> None:
    """Note that the clock of the target and that of this machine differ by more than a minute."""
    date = exchange.response.header("date") if exchange.response else None
    try:
        theirs = parsedate_to_datetime(date or "")
    except (ValueError, OverflowError):
        return
    theirs = theirs.astimezone(UTC) if theirs.tzinfo else theirs.replace(tzinfo=UTC)
    ours = exchange.started + timedelta(seconds=exchange.seconds)
    apart = theirs - ours
    if abs(apart) > APART:
        found.problems.append(
            Note(
                Blame.CONFIGURATION,
                f"The clocks differ by {in_words(abs(apart).total_seconds())}: the target says "
                f"{_moment(theirs)} (Date), this machine {_moment(ours)}.",
                "Set the clock that is wrong: tokens expire by it, and the times of requests are read by it.",
            )
        )


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
