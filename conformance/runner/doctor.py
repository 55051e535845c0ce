"""The look at the target before a run: address, connection, documents and tokens, in under ten calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from conformance.client.api import Api
from conformance.http.clock import AGREE
from conformance.http.session import Session
from conformance.model.errors import NotDecided, trouble_of, why_it_decides_nothing
from conformance.model.exchange import ErrorKind, Exchange
from conformance.model.findings import Note
from conformance.model.target import Target
from conformance.model.text import time_in_words
from conformance.model.verdict import Blame, Exit
from conformance.rules.expect import document
from conformance.rules.moments import clock_difference
from conformance.runner import notes
from conformance.runner.doctor_address import address_problem, other_readings
from conformance.runner.doctor_tokens import Fact, try_tokens
from conformance.runner.gates import gate_before, on_the_way

_OF_ANOTHER_SCHEME: Final = (ErrorKind.TLS, ErrorKind.CLOSED, ErrorKind.NOT_HTTP, ErrorKind.TRUNCATED)
"""The results of speaking http to an https port, or https to an http port."""


@dataclass
class Diagnosis:
    """What the doctor found: problems, and facts worth knowing before a run."""

    problems: list[Note] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)

    def add(self, each: Note | Fact) -> None:
        """Add a problem or a fact."""
        if isinstance(each, Note):
            self.problems.append(each)
        else:
            self.facts.append(each)

    @property
    def fatal(self) -> Note | None:
        """The first problem that a run cannot begin with."""
        return next((problem for problem in self.problems if problem.exit_code is not None), None)


def examine(session: Session, *, needs_token: bool, may_create: bool = False) -> Diagnosis:
    """Examine the target; with `may_create`, a creation may settle whether a token is accepted."""
    found = Diagnosis()
    with session.attributed_to("doctor"):
        gather(found, session, _look(Api(session), needs_token=needs_token, may_create=may_create))
    return found


def gather(found: Diagnosis, session: Session, looks: Iterator[Note | Fact]) -> None:
    """Add what some looks at the target yield; a budget that ends meanwhile is a problem."""
    try:
        for each in looks:
            found.add(each)
    except NotDecided as error:
        if session.clock.ended is None:  # the report itself names the end of the time
            found.problems.append(Note(error.blame, error.message, error.remedy, Exit.INCONCLUSIVE))


def first_look(service: Api) -> tuple[Note | None, Exchange, Exchange]:
    """Return why the service is not reached, or None, with the answers to GET /settings and GET /data."""
    session = service.session
    settings, data = session.parallel([service.settings, service.data])
    if gate_before(session.target, (settings, data)) is not None:
        settings, data = service.heard(settings, data)  # a service of its own accepts the token
    problem = (
        _gate(service, (settings, data))
        or _other_scheme(session, (settings, data))
        or (None if data.response and settings.error is ErrorKind.TRUNCATED else _unreachable(session.target, settings))
        or address_problem(service, settings, data)
    )
    return problem, settings, data


def _gate(service: Api, seen: Sequence[Exchange]) -> Note | None:
    """Return the problem of a gate before all paths. What refuses only some of them is the service's own (5.4)."""
    if gate_before(service.session.target, seen) is None:
        return None
    return gate_before(service.session.target, [*seen, *other_readings(service)])


def _look(service: Api, *, needs_token: bool, may_create: bool) -> Iterator[Note | Fact]:
    session = service.session
    base_url = session.target.base_url
    problem, settings, data = first_look(service)
    if problem is not None:
        yield problem
        return
    yield "address", ", ".join([f"{base_url} answers", *session.target.way])
    if session.target.is_https:
        yield "TLS", "the certificate is trusted and is for this host"
    elif needs_token and session.credentials and not session.target.is_loopback:
        yield Note(
            Blame.CONFIGURATION,
            "The tokens are sent over plain http: everyone on the way to the target can read and use them.",
            "Give the https address of the service as base_url; if it has none, it needs one.",
        )
    yield from _clocks(settings)
    yield from _documents(*service.heard(settings, data))
    if needs_token:
        yield from try_tokens(service, may_create=may_create)
    if session.record.one_at_a_time:
        yield "connections", f"{notes.ONE_AT_A_TIME}; a run goes on with one, and closes it after each call"


def _other_scheme(session: Session, exchanges: Sequence[Exchange]) -> Note | None:
    """Return the problem of a port that uses another scheme than the base_url."""
    url, base_url = session.target.url, session.target.base_url
    other = "http" if session.target.is_https else "https"
    # Many servers answer 400 to http on a port for https.
    suspicious = all(
        each.error in _OF_ANOTHER_SCHEME or (each.response is not None and each.response.status == 400)
        for each in exchanges
    )
    if not suspicious or not session.record.speaks(url, other):
        return None
    return Note(
        Blame.CONFIGURATION,
        f"The base_url {base_url} says {url.scheme}, but its port speaks {other}.",
        f"Give {other}{base_url.removeprefix(url.scheme)} as base_url.",
        Exit.USAGE,
    )


def _unreachable(target: Target, exchange: Exchange) -> Note | None:
    if exchange.counts:
        return None
    blame, remedy = why_it_decides_nothing(exchange)
    message = f"GET {exchange.request.url} got no answer that can be judged: {trouble_of(exchange)}."
    return on_the_way(target, exchange) or Note(blame, message, remedy, Exit.INCONCLUSIVE)


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


def _documents(settings: Exchange, data: Exchange) -> Iterator[Note | Fact]:
    """Yield the results of the two calls that most requirements need."""
    for path, name, exchange, kind in (("/settings", "settings", settings, dict), ("/data", "data types", data, list)):
        try:
            document(name, exchange, kind)
        except NotDecided as error:
            remedy = error.remedy or f"Let GET {path} answer 200 with its document."
            if exchange.response is not None and exchange.response.status in (404, 405, 410, 501):
                remedy = f"Serve GET {path} there, or let what stands in front of the service hand its calls on."
            remedy += " Most requirements rest on it."
            yield Note(error.blame, error.message, remedy)
        else:
            yield "JSON", f"GET {path} answers 200 with JSON"
            if exchange.intent.offered:
                remedy = "Let it answer 200 without a token as well (5.4). A run goes on with the token."
                yield Note(Blame.TARGET, f"GET {path} requires a token.", remedy)
