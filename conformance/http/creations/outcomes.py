"""What exchanges did at the target, for the journal: which requests they created, deleted, or showed again."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Final

from conformance.facts.answers import names_a_tabled_error
from conformance.facts.creation import made_by
from conformance.facts.ledger import Ledger
from conformance.http.creations.journal import Journal
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import MISSING, Exchange, Operation, Response, request_id_of

CLEAN_UP: Final = "clean-up"
"""The name, in place of a check, under which the end of a run deletes what is left, and what such calls are about."""


def is_clean_up(exchange: Exchange) -> bool:
    """Whether an exchange deletes what the run created; no budget prevents it."""
    return exchange.operation is Operation.DELETE and exchange.intent.request == CLEAN_UP


def record_outcome(journal: Journal, exchange: Exchange, known: Iterable[Exchange] = ()) -> None:
    """Note whether an exchange created or deleted a data request, or shows one that had been deleted.

    `known` are the exchanges so far: a server error to a creation beyond the limit leaves nothing.
    """
    credential, response = exchange.request.credential, exchange.response
    if exchange.operation is Operation.CREATE:
        _record_creation(journal, exchange, known)
    elif response is None or (
        exchange.intent.racing and (response.status in MISSING or exchange.operation is Operation.READ)
    ):
        return  # the responses to the other calls of the race decide
    elif exchange.operation is Operation.DELETE and (response.status in MISSING or 200 <= response.status < 300):
        request_id = request_id_of(exchange)
        if journal.live.get(request_id) == credential:
            journal.was_deleted(request_id, confirmed=response.status not in MISSING)
    elif _shows_a_deleted_one(exchange, response) and credential in KNOWN_CREDENTIALS:
        journal.is_back(request_id_of(exchange), credential)


def _shows_a_deleted_one(exchange: Exchange, response: Response) -> bool:
    """Whether a call reads a request that was deleted when it began; a deletion beside it may have begun later."""
    if exchange.operation is not Operation.READ or exchange.intent.request not in ("deleted", "lost"):
        return False
    empty = response.text.strip() in ("", "null", "{}", "[]")  # some services answer 200 with nothing, or an error
    return response.status == 200 and not empty and not names_a_tabled_error(response)


def _record_creation(journal: Journal, creation: Exchange, known: Iterable[Exchange]) -> None:
    """Note what a creation made, as far as the clean-up has to know it."""
    made = made_by(creation)
    if made.request_id is not None:
        journal.was_created(made.request_id, creation.request.credential)
    elif made.is_left and (creation.status < 500 or creation.id in _unnamed(known)):
        journal.has_unknown_outcome(made.perhaps)
    else:
        journal.was_refused()


def _unnamed(exchanges: Iterable[Exchange]) -> frozenset[str]:
    """Return the ids of the creations that may have made a request which no answer names."""
    return frozenset(each.id for each in Ledger.of(sorted(exchanges, key=attrgetter("number"))).unnamed)
