"""How long requests were seen to live: one that is completed may be kept no longer, so that it is not found (3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.traffic.exchange import Exchange, Operation, state_of
from conformance.traffic.record import request_id_of


@dataclass(frozen=True)
class Lifetimes:
    """What a run saw of requests that it left alone."""

    created: Mapping[str, Exchange]
    """The creation of each request, by its identifier."""
    oldest: float
    """Seconds after its creation at which a request was still there, at most."""
    last_found: Mapping[str, float]
    """When the last reading began that found the request, in seconds since 1970."""
    completed: Mapping[str, float]
    """When the first answer came that showed the request completed, in seconds since 1970."""
    some_vanished: bool
    """Whether a request was missing for good that nobody had asked to delete."""
    not_deleted: int = 0
    """How many requests were missing when one call was to delete them."""

    @classmethod
    def of(cls, exchanges: Sequence[Exchange]) -> Lifetimes:
        """Gather what `exchanges` show."""
        created: dict[str, Exchange] = {}
        for exchange in exchanges:
            if exchange.operation is Operation.CREATE and (request_id := _given(exchange)):
                created.setdefault(request_id, exchange)
        about = [
            (request_id_of(exchange), exchange)
            for exchange in exchanges
            if exchange.operation in (Operation.READ, Operation.DELETE) and request_id_of(exchange) in created
        ]
        there = [(one, exchange) for one, exchange in about if exchange.answer and exchange.answer.status == 200]
        found: dict[str, float] = {}
        for one, exchange in there:
            if exchange.operation is Operation.READ:
                found[one] = max(_began(exchange), found.get(one, 0.0))
        completed: dict[str, float] = {}
        for exchange in exchanges:
            if state_of(exchange):
                one = _given(exchange) if exchange.operation is Operation.CREATE else request_id_of(exchange)
                completed[one] = min(_ended(exchange), completed.get(one, float("inf")))
        deleted: dict[str, float] = {}
        for one, exchange in about:
            if exchange.operation is Operation.DELETE:
                deleted[one] = min(_began(exchange), deleted.get(one, _began(exchange)))
        vanished = any(
            exchange.operation is Operation.READ
            and is_missing(exchange)
            and exchange.facts.get("request") == "existing"
            and _ended(exchange) < deleted.get(one, float("inf"))
            and _began(exchange) > found.get(one, 0.0)
            for one, exchange in about
        )
        ages = (_began(exchange) - _ended(created[one]) for one, exchange in there)
        not_deleted = {
            one
            for one, exchange in about
            if exchange.operation is Operation.DELETE
            and is_missing(exchange)
            and exchange.facts.get("request") == "existing"
            and not exchange.facts.get("racing")
        }
        return cls(created, max(ages, default=0.0), found, completed, vanished, len(not_deleted))

    def is_older_than_any(self, missing: Exchange) -> bool:
        """Tell whether what was missing would have lived longer than any request was seen to."""
        made = self.created.get(request_id_of(missing))
        return made is not None and _ended(missing) - _began(made) > self.oldest

    def was_completed_before(self, missing: Exchange) -> bool:
        """Tell whether what was missing had been shown completed: how long such a one is kept is not stated (3)."""
        return self.completed.get(request_id_of(missing), float("inf")) <= _began(missing)

    def is_found_after(self, missing: Exchange) -> bool:
        """Tell whether what was missing was there again in a reading that began later: it had not ended."""
        return self.last_found.get(request_id_of(missing), 0.0) >= _ended(missing)


def is_missing(exchange: Exchange) -> bool:
    """Tell whether a reading or a deletion was answered 404."""
    answer = exchange.answer
    return answer is not None and answer.status == 404 and exchange.operation in (Operation.READ, Operation.DELETE)


def _given(creation: Exchange) -> str:
    answer = creation.answer
    value = answer.document.value if answer and 200 <= answer.status < 300 else None
    given = value.get("requestId") if isinstance(value, dict) else None
    return given if isinstance(given, str) else ""


def _began(exchange: Exchange) -> float:
    return exchange.started.timestamp()


def _ended(exchange: Exchange) -> float:
    return exchange.started.timestamp() + exchange.seconds
