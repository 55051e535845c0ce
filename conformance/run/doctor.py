"""What the preflight saw of the target, in words: problems that a report names, and facts that the doctor shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from conformance.http.clock import AGREE
from conformance.http.session import Session
from conformance.judge.expect import document
from conformance.judge.moments import clock_difference
from conformance.model.account import jwt_claims
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Note
from conformance.model.identity import OTHER_USER, USER
from conformance.model.text import time_in_words
from conformance.model.verdict import Blame, Exit
from conformance.run.explanations import NAMES, explained, way_of
from conformance.run.preflight import Look, account, look, seconds_left

ONE_AT_A_TIME: Final = (
    "the service seems to answer one connection at a time: a second one waited for the first to close"
)

_SOON: Final = 60.0
"""Seconds in which a run of the usual size ends, except at a slow service."""

Fact = tuple[str, str]
"""A name and a sentence worth knowing before a run."""


@dataclass
class Diagnosis:
    """What the doctor found: problems, and facts worth knowing before a run."""

    problems: list[Note] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)

    @property
    def fatal(self) -> Note | None:
        """The first problem that a run cannot begin with."""
        return next((problem for problem in self.problems if problem.exit_code is not None), None)


def examine(session: Session, *, needs_token: bool) -> Diagnosis:
    """Examine the target."""
    seen = look(session, needs_token=needs_token)
    found = Diagnosis()
    gather(found, session, shown(session, seen))
    if seen.obstacle is not None:
        found.problems.append(explained(seen.obstacle, session))
    return found


def gather(found: Diagnosis, session: Session, looks: Iterator[Note | Fact]) -> None:
    """Add what some looks at the target yield; a budget that ends meanwhile is a problem."""
    try:
        for each in looks:
            if isinstance(each, Note):
                found.problems.append(each)
            else:
                found.facts.append(each)
    except NotDecided as error:
        if session.clock.ended is None:  # the report itself names the end of the time
            found.problems.append(Note(error.blame, error.message, error.remedy, Exit.INCONCLUSIVE))


def shown(session: Session, seen: Look) -> Iterator[Note | Fact]:
    """Yield what a look at the target shows beside an obstacle; nothing if it did not reach the service."""
    if seen.settings is None or seen.data is None:
        return
    target = session.target
    yield "address", ", ".join([f"{target.base_url} answers", *way_of(target)])
    if target.is_https:
        yield "TLS", "the certificate is trusted and is for this host"
    elif session.credentials and not target.is_loopback:
        yield Note(
            Blame.CONFIGURATION,
            "The tokens are sent over plain http: everyone on the way to the target can read and use them.",
            "Give the https address of the service as base_url; if it has none, it needs one.",
        )
    yield from _clocks(seen.settings)
    for path, name, exchange, kind in (
        ("/settings", "settings", seen.settings, dict),
        ("/data", "data types", seen.data, list),
    ):
        yield from _document(path, name, exchange, kind)
    yield from _tokens(session, seen)
    if session.record.one_at_a_time:
        yield "connections", f"{ONE_AT_A_TIME}; a run goes on with one, and closes it after each call"


def _clocks(exchange: Exchange) -> Iterator[Note]:
    """Yield a problem if the clocks of the target and of this machine differ by more than a minute."""
    difference = clock_difference(exchange)
    if difference is not None and abs(difference) > AGREE:
        ours = exchange.started + timedelta(seconds=exchange.seconds)
        theirs = ours + difference
        yield Note(
            Blame.CONFIGURATION,
            f"The clocks differ by {time_in_words(abs(difference).total_seconds())}: the target says "
            f"{_moment(theirs)} (Date), this machine {_moment(ours)}.",
            "Set the clock that is wrong: tokens expire by it, and the times of requests are read by it.",
        )


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def _document(path: str, name: str, exchange: Exchange, kind: type) -> Iterator[Note | Fact]:
    """Yield the result of a call that most requirements need."""
    try:
        document(name, exchange, kind)
    except NotDecided as error:
        remedy = error.remedy or f"Let GET {path} answer 200 with its document."
        if exchange.response is not None and exchange.response.status in (404, 405, 410, 501):
            remedy = f"Serve GET {path} there, or let what stands in front of the service hand its calls on."
        yield Note(error.blame, error.message, f"{remedy} Most requirements rest on it.")
        return
    yield "JSON", f"GET {path} answers 200 with JSON"
    if exchange.intent.offered:
        remedy = "Let it answer 200 without a token as well (5.4). A run goes on with the token."
        yield Note(Blame.TARGET, f"GET {path} requires a token.", remedy)


def _tokens(session: Session, seen: Look) -> Iterator[Note | Fact]:
    """Yield whether the tokens are accepted, last long enough, and belong to different users."""
    obstacle = seen.obstacle
    for label in seen.tried if obstacle is None or not obstacle.credential else ():
        if label in seen.refused:
            yield _not_tried(session, label)
    if not seen.tried or USER.label in seen.refused:
        return
    yield "token", "accepted"
    for label, exchange in seen.tried.items():
        yield from _lasts(session, label, exchange)
    if OTHER_USER.label not in seen.tried:
        yield "second user", "none given (DRSI_OTHER_TOKEN); isolation of users is not looked at"
    elif obstacle is None and not seen.refused:
        yield _different_users(session, seen)


def _not_tried(session: Session, label: str) -> Note:
    if session.record.answered(Operation.SETTINGS, 403):
        return Note(
            Blame.TARGET,
            f"{NAMES[label]} cannot be tried: the target answers 403 to GET /settings as well, which needs no token.",
            "Answer GET /settings without a token.",
        )
    return Note(
        Blame.TARGET,
        f"{NAMES[label]} does not get 404 for a request that does not exist, which is due, but 403.",
        "Answer 404 for a request that does not exist. Whether the token is accepted a run finds out, by creating one.",
    )


def _lasts(session: Session, label: str, exchange: Exchange) -> Iterator[Note]:
    """Yield a problem if the token had expired by then, or expires so soon that the run may last longer."""
    token = session.credentials[label]
    left = None if token.renewable else seconds_left(session, token, exchange.started)
    if left is not None and left < _SOON:
        when = f"expires in {time_in_words(left)}" if left > 0 else f"expired {time_in_words(-left)} ago"
        yield Note(
            Blame.CREDENTIAL,
            f"{NAMES[label]} {when} by its claim exp. The run may last longer.",
            "Use a token that lasts longer, or give a command that prints a new one (--token-command, "
            "--other-token-command).",
        )


def _different_users(session: Session, seen: Look) -> Note | Fact:
    subjects = [jwt_claims(session.credentials[label].current()).get("sub") for label in seen.tried]
    accounts = [account(each) for each in seen.accounts.values()]
    for what, (mine, theirs) in (("claim sub", subjects), ("account in GET /data/me", accounts)):
        if mine is not None and mine == theirs:
            # Not fatal: a service may return the same account to every user (4.6).
            return Note(
                Blame.CONFIGURATION,
                f"The two tokens seem to be of the same user: they have the same {what}.",
                "If they are, give the token of another user as DRSI_OTHER_TOKEN, or leave it out.",
            )
    known = any(value is not None for value in (*subjects, *accounts))
    return "second user", "accepted, another user" if known else "accepted; perhaps the same user"
