"""The replay of a run: its exchanges answer the requests that the suite makes again, without a network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeVar

import httpx

from conformance.http.clock import RunClock
from conformance.http.controls import Controls
from conformance.http.creations.journal import Journal
from conformance.http.creations.outcomes import journal_of, record_exchange
from conformance.http.credentials import Bearer
from conformance.http.recorder import RecordingTransport
from conformance.http.retries import Retries, failed
from conformance.http.run_time import RunTime
from conformance.http.secrets.written import without_secrets
from conformance.http.session import Session
from conformance.model.conditions import Conditions
from conformance.model.errors import NotDecided
from conformance.model.exchange import (
    INTERRUPTED,
    ErrorKind,
    Exchange,
    Operation,
    TransportError,
)
from conformance.model.identity import Derivation
from conformance.model.target import Target, Token
from conformance.model.verdict import Blame
from conformance.runner.recording import Recording

_T = TypeVar("_T")

_NO_LIMIT: Final = 10**9


class _RecordedClock:
    """A clock that shows the time of the recorded exchanges."""

    def __init__(self, started: datetime) -> None:
        self._started = self._now = started

    def now(self) -> datetime:
        """Return the end of the latest exchange so far, or the end of a later wait."""
        return self._now

    def seconds(self) -> float:
        """Return the seconds since the start of the run."""
        return (self._now - self._started).total_seconds()

    def sleep(self, seconds: float, /, stopped: Callable[[], bool] = lambda: False) -> None:  # noqa: ARG002
        """Move on by some seconds, without a wait."""
        self._now += timedelta(seconds=seconds)

    def show(self, exchange: Exchange) -> None:
        """Move on to the end of an exchange."""
        self._now = max(self._now, exchange.started + timedelta(seconds=exchange.seconds))


class _RecordedTime(RunTime):
    """The time of the run as it was: it ends where the recorded run had none left."""

    def __init__(self, session: Session, clock: _RecordedClock, conditions: Conditions) -> None:
        super().__init__(RunClock(clock), None, session.journal, concurrency=1, rate=None)
        self._conditions = conditions
        self.was_set = conditions.clock_was_set

    def _is_over(self, check: str) -> bool:
        return check == self._conditions.ended_before

    def undecided(self) -> NotDecided:
        """Return the exception for checks without time, with the recorded words."""
        message, blame = self._conditions.time_is_up
        if message:
            self._over = (message, Blame(blame))
            self.ran_out = True
        return super().undecided()


class _NoNetwork(httpx.BaseTransport):
    """A transport that sends nothing."""


class _ReplayingTransport(RecordingTransport):
    """Answers each request from the recording, and keeps record and journal as the run did."""

    def __init__(self, session: Session, recording: Recording, clock: _RecordedClock) -> None:
        super().__init__(
            _NoNetwork(),
            session.target,
            session.record,
            session.journal,
            session.clock,
            session.personal,
            session.bodies,
        )
        self._retries = _RecordedRetries(session.clock, recording)
        self._session = session
        self._recording = recording
        self._recorded_clock = clock

    def _ask(self, request: httpx.Request, exchange: Exchange) -> httpx.Response:  # noqa: ARG002
        recorded = self._recording.take(without_secrets(exchange, self._session.secrets.redactor))
        if recorded is None:
            raise self._unknown(exchange)
        _adopt(exchange, recorded)
        exchange.raised = recorded.raised
        self._recorded_clock.show(recorded)
        held_back = recorded.response is None and (not recorded.was_sent or recorded.error_detail == INTERRUPTED)
        if exchange.operation is Operation.CREATE and not held_back:
            self._journal.intend(exchange.request.credential, at_most=_NO_LIMIT)
        if recorded.error_detail == INTERRUPTED:
            exchange.error, exchange.error_detail = recorded.error, recorded.error_detail
            self._time.stopped |= self._record.is_seen(exchange)
            raise KeyboardInterrupt
        if recorded.response is None:
            assert recorded.error is not None
            reused = self._recording.is_repeated(recorded) and not self._silence.may_end(recorded.error)
            error = TransportError(recorded.error, recorded.error_detail, reused=reused)
            self._note(exchange, error)
            raise error
        answer = recorded.response
        response = httpx.Response(
            answer.status,
            headers=[
                (name.encode("latin-1", "replace"), value.encode("latin-1", "replace"))
                for name, value in answer.headers
                if name.lower() not in _OF_THE_CONNECTION
            ],
            stream=httpx.ByteStream(answer.body),
        )
        self._keep(exchange, response)
        exchange.response = answer
        exchange.error, exchange.error_detail = recorded.error, recorded.error_detail
        return response

    def _unknown(self, exchange: Exchange) -> BaseException:
        """Return the exception for a request without an answer: an interrupted run ended before it."""
        if self._recording.conditions.interrupted and not self._time.cleaning:
            self._record.exchanges.remove(exchange)
            self._time.stopped |= self._record.is_seen(exchange)
            return KeyboardInterrupt()
        detail = f"{exchange.request.method} {exchange.request.url} of {exchange.check} is not in the evidence"
        self._recording.unknown.append(detail)
        if self._recording.lacks_too_much and not self._time.cleaning:
            self._time.stopped = True
            return KeyboardInterrupt()
        error = TransportError(ErrorKind.BLOCKED, detail)
        exchange.error, exchange.error_detail = error.kind, detail
        return error


class _RecordedControls(Controls):
    """Makes a control where the run did; what it showed is recorded."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self._recording = recording

    def are_needed(self, exchange: Exchange) -> bool:
        return self._recording.has_control(exchange)

    def compare(self, refused: Exchange, again: Exchange) -> None:
        pass


class _RecordedRetries(Retries):
    """Sends a call again where the run did, and leaves the first exchange as the run has recorded it."""

    def __init__(self, time: RunTime, recording: Recording) -> None:
        super().__init__(time, patience=0.0)
        self.controls = _RecordedControls(recording)
        self._recording = recording

    def is_suspicious(self, exchange: Exchange, response: httpx.Response) -> bool:  # noqa: ARG002
        repeated = self._recording.is_repeated(exchange)
        plain = exchange.error is None and exchange.response is not None and exchange.response.status != 401
        return repeated and (plain or exchange.error is ErrorKind.MISPLACED)

    def after_control(self, exchange: Exchange, control: Exchange, attempt: int) -> float | None:  # noqa: ARG002
        return 0.0 if self._recording.is_repeated(control) else None

    def waits_for_return(self, exchange: Exchange, attempt: int) -> bool:  # noqa: ARG002
        return self._recording.is_repeated(exchange)

    def delay(self, exchange: Exchange, attempt: int, *, again: bool) -> float | None:  # noqa: ARG002
        asked = exchange.error in (ErrorKind.RATE_LIMITED, ErrorKind.UNAVAILABLE) or (again and failed(exchange))
        return 0.0 if asked and self._recording.is_repeated(exchange) else None


_OF_THE_CONNECTION: Final = ("content-encoding", "content-length", "transfer-encoding")


def _adopt(exchange: Exchange, recorded: Exchange) -> None:
    """Give the exchange of a replay what the recorded one knows beside its answer."""
    exchange.id, exchange.check, exchange.beside = recorded.id, recorded.check, recorded.beside
    exchange.started, exchange.seconds, exchange.ended = recorded.started, recorded.seconds, recorded.ended
    exchange.repeats = recorded.repeats
    # The redacted request tells the values of one token apart, which are one stand-in here.
    exchange.request = recorded.request


class _RecordedBearer(Bearer):
    """The stand-in for a token: it is sent again where the run repeated a request with another token."""

    def __init__(self, token: Token, recording: Recording) -> None:
        super().__init__(token)
        self._recording = recording

    def another(self, refused: str, response: httpx.Response) -> str | None:
        """Return the same stand-in, which stands for every value of the token, if the run had another one."""
        return refused if self._recording.is_repeated(response.extensions["exchange"]) else None


class ReplayedSession(Session):
    """A session with the recording of a run instead of its target."""

    replays = True

    def __init__(self, target: Target, recording: Recording, *, seed: int, nonce: str) -> None:
        clock = _RecordedClock(recording.started)
        super().__init__(
            target, seed=seed, transport=_NoNetwork(), clock=clock, in_turn=True, nonce=nonce, keep_personal_data=True
        )
        self.recording = recording
        self.record.recorded = recording.exchanges
        self.generated = {name: list(values) for name, values in recording.conditions.generated.items()}
        found = recording.conditions.derivation
        self.results.derivation = None if found is None else Derivation(**found)
        for label, bearer in self.credentials.items():
            self.credentials[label] = _RecordedBearer(bearer.token, recording)
        self.clock = _RecordedTime(self, clock, recording.conditions)
        self.recording_transport = _ReplayingTransport(self, recording, clock)
        self._in_order: list[Exchange] = []
        """The exchanges that the journal had in the order of their ends after the latest parallel calls."""
        self._journal_then = Journal()

    def parallel(
        self, calls: Sequence[Callable[[], _T]], *, each: int | Sequence[int] = 1, at_most: int | None = None
    ) -> list[_T]:
        """Make the calls one after another, then bring the journal into the order in which the run made them."""
        before = len(self.record)
        try:
            return super().parallel(calls, each=each, at_most=at_most)
        finally:
            if not self.record.is_beside and len(self.record) > before:
                self._reorder()

    def _reorder(self) -> None:
        """Bring the journal into the order of the ends, from where an earlier order still holds."""
        over, known = self.record.over(), len(self._in_order)
        # Background work becomes seen only later, among exchanges that are in order already.
        if over[:known] != self._in_order:
            known, self._journal_then = 0, Journal()
        self._journal_then = journal_of(over[known:], self._journal_then)
        self._in_order = over
        self.journal.take_over(self._journal_then)

    def race(self, calls: Sequence[Callable[[], _T]]) -> list[_T]:
        """Make the calls one after another: their exchanges are recorded already."""
        return self.parallel(calls)

    def finish(self, *, early: bool) -> None:
        """Wait for the background work. Of an interrupted run, add what went on beside the call that it ended at."""
        super().finish(early=early)
        if not self.recording.conditions.interrupted:
            return
        for each in self.recording.take_unused():
            self.record.exchanges.append(each)
            record_exchange(self.journal, each)
